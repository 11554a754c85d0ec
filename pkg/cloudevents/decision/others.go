// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/controlplane"
)

// Other is another event, as far as it matters for one. OtherOf makes it.
type Other struct {
	// Name is the name of the event, and Created when it was created.
	Name    string
	Created time.Time
	// Node and NodeUID are the node that it is about; empty while none is found.
	Node    string
	NodeUID types.UID
	// ControlPlane says that the node is one of the control plane.
	ControlPlane bool
	// Action is what is done for it.
	Action v1beta1.EventAction
	// Start and LatestStart are the times when its drain is to start, and has to; zero: at once, and not known.
	Start, LatestStart time.Time
	// Waiting says that its drain has not started, and that nothing but time and other events keeps it.
	Waiting bool
	// Active says that it has a hold, or is to have one.
	Active bool
	// Replacing says that it has begun to replace the machine of the node.
	Replacing bool
	// GaveUp says that it does not replace the machine any more, since that failed.
	GaveUp bool
	// Ended says that nothing is to be done for it any more.
	Ended bool
	// Replaced says that it has replaced the machine of the node.
	Replaced bool
}

// OtherOf is an event as the decisions about others see it. node is the node of its status; nil if there is none.
func OtherOf(event *v1beta1.ScheduledEvent, node *corev1.Node) Other {
	s := &event.Status
	ended := s.EndTime != nil || s.Phase == v1beta1.EventPhaseIgnored
	gaveUp := s.Replacement != nil && s.Replacement.Step == v1beta1.StepGivenUp
	return Other{
		Name: event.Name, Created: event.CreationTimestamp.Time,
		Node: s.NodeName, NodeUID: s.NodeUID, ControlPlane: controlplane.Member(node),
		Action: s.Action, Start: timeOf(s.StartTime), LatestStart: timeOf(s.LatestStartTime),
		Waiting:   !ended && !Withdrawn(event) && s.NodeName != "" && s.DrainStartTime == nil && !keptBack(s),
		Active:    !ended && s.Maintenance != "",
		Ended:     ended,
		GaveUp:    gaveUp,
		Replacing: !ended && s.Replacement != nil && !gaveUp,
		Replaced:  s.Replacement != nil && s.Replacement.Step == v1beta1.StepReplaced,
	}
}

// keptBack says whether something other than time, policies and other events keeps the drain from starting.
func keptBack(s *v1beta1.ScheduledEventStatus) bool {
	c := apimeta.FindStatusCondition(s.Conditions, v1beta1.ConditionBlocked)
	if c == nil || c.Status != metav1.ConditionTrue {
		return false
	}
	switch c.Reason {
	case ReasonNodeNotFound, ReasonNodeMismatch, ReasonAmbiguousNode, ReasonControlPlaneNotReplaced:
		return true
	}
	return false
}

// twin is the event that replaces the machine of the node; empty: none else does. Of several events for one node, the one
// that has begun does, and else the one that was created first, so that the machine is replaced once. One that has given up
// leaves it to the others.
func (s *state) twin() string {
	if s.next.Action != v1beta1.EventActionReplace || s.next.Replacement != nil {
		return ""
	}
	me := Other{Name: s.Event.Name, Created: s.Event.CreationTimestamp.Time}
	first := me
	for _, o := range s.Others {
		if s.sameNode(o) && !o.Ended && !o.GaveUp && o.Action == v1beta1.EventActionReplace && o.replacesBefore(first) {
			first = o
		}
	}
	if first.Name == me.Name {
		return ""
	}
	return first.Name
}

func (o Other) replacesBefore(of Other) bool {
	if o.Replacing != of.Replacing {
		return o.Replacing
	}
	return o.before(of.Created, of.Name)
}

// twinReplaced is the event that has replaced the machine of the node; empty: none has.
func (s *state) twinReplaced() string {
	for _, o := range s.Others {
		if s.sameNode(o) && o.Replaced {
			return o.Name
		}
	}
	return ""
}

// sameNode says whether the other event is about the same node: the one that was found, or the last one that was.
func (s *state) sameNode(o Other) bool {
	uid := s.next.NodeUID
	if s.Found.Node != nil {
		uid = s.Found.Node.UID
	}
	return uid != "" && o.NodeUID == uid
}

// before says whether it was created before another one.
func (o Other) before(created time.Time, name string) bool {
	return o.Created.Before(created) || o.Created.Equal(created) && o.Name < name
}

// turn is which other events a node of the control plane waits for; empty: it is its turn. One such node goes at a time,
// those with the earliest latest start first, and all of them after the workers whose start has come, unless it has to
// start. A worker never waits.
func (s *state) turn(node *corev1.Node) string {
	start, latest := timeOf(s.next.StartTime), timeOf(s.next.LatestStartTime)
	if !controlplane.Member(node) {
		return ""
	}
	if s.Now.Before(start) {
		s.again(start)
		if closed := s.closed(); len(closed) > 0 {
			return notInTime(node.Name, closed, latest, waitsFor(s.Policies))
		}
		return startsAt(node.Name, start)
	}
	must := !s.Now.Before(latest) // without a latest start the event can happen at any time
	for _, o := range s.Others {
		switch {
		case o.ControlPlane:
			if s.yields(o) {
				return oneAtATime(node.Name, o)
			}
		case (o.Active || o.Waiting) && o.due(s.Now) && !must:
			s.again(latest)
			return workersFirst(node.Name, o, latest)
		}
	}
	return ""
}

// yields says whether the event waits for another one of the control plane: for one that has started, and for one that
// goes first while neither of them has.
func (s *state) yields(o Other) bool {
	me := Other{Name: s.Event.Name, Created: s.Event.CreationTimestamp.Time, LatestStart: timeOf(s.next.LatestStartTime)}
	mine := s.before.Maintenance != ""
	switch {
	case o.Active && !o.Waiting:
		return true
	case o.Active:
		return !mine || o.ahead(me)
	default:
		return o.Waiting && o.due(s.Now) && !mine && o.ahead(me)
	}
}

// due says whether its start has come.
func (o Other) due(now time.Time) bool { return !o.Start.IsZero() && !now.Before(o.Start) }

// ahead says whether its drain goes before that of another event of the control plane: one without a latest start can be
// hit at any time.
func (o Other) ahead(of Other) bool {
	if !o.LatestStart.Equal(of.LatestStart) {
		return o.LatestStart.Before(of.LatestStart)
	}
	return o.before(of.Created, of.Name)
}
