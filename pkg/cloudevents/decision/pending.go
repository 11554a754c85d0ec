// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/controlplane"
)

// pending is for events whose drain has not started.
func (s *state) pending() {
	switch {
	case s.twinReplaced() != "", s.Event.Spec.State == v1beta1.EventCompleted:
		s.giveBack()
	case s.Found.Node == nil && s.twin() != "":
		s.wait(v1beta1.EventPhasePending, otherReplaces(s.next.NodeName, s.twin()))
	case s.Found.Gone:
		s.giveBack()
	case s.Found.Node == nil:
		s.noNode()
	case s.Hold != nil && s.Hold.Spec.NodeName != s.Found.Node.Name:
		s.meet(s.Found.Node)
		s.wait(v1beta1.EventPhasePending, givingBack(s.Hold))
	default:
		s.meet(s.Found.Node)
		s.next.Action, s.next.Policy = ActionOf(s.Event.Spec.Code, s.Policies)
		if s.undecided() && !s.due() && s.Hold != nil && s.next.ExpectedDrainSeconds != nil {
			s.keepWaiting(s.Found.Node)
			return
		}
		s.act(s.Found.Node)
	}
}

// noNode waits until it is clear which node is meant.
func (s *state) noNode() {
	s.next.NodeName, s.next.NodeUID, s.next.Maintenance = "", "", s.holdName()
	s.next.Action, s.next.Policy = ActionOf(s.Event.Spec.Code, nil)
	s.clearTimes()
	s.block(s.Found.Reason, s.Found.Message)
	s.wait(v1beta1.EventPhasePending, s.Found.Message)
}

// meet notes which node it is.
func (s *state) meet(node *corev1.Node) {
	s.next.NodeName, s.next.NodeUID, s.next.Maintenance = node.Name, node.UID, s.holdName()
}

// holdName is the name of the hold that is there; empty: none is.
func (s *state) holdName() string {
	if s.Hold == nil {
		return ""
	}
	return s.Hold.Name
}

func (s *state) clearTimes() {
	s.next.ExpectedDrainSeconds, s.next.StartTime, s.next.LatestStartTime = nil, nil, nil
}

func (s *state) act(node *corev1.Node) {
	if s.next.Action == v1beta1.EventActionIgnore {
		s.ignore()
		return
	}
	replaces := s.replaces()
	s.setTimes(replaces)
	s.wait(v1beta1.EventPhasePending, "")
	switch {
	case s.next.Action == v1beta1.EventActionReplace && controlplane.Member(node) && !s.Machine.Replaceable:
		s.next.WaitingFor = machineUnknown(node.Name, s.Machine.Why)
		if s.Machine.Known || !s.MachineAPI {
			s.block(ReasonControlPlaneNotReplaced, controlPlaneNotReplaced(node.Name, s.machine()))
			s.next.WaitingFor = s.blockedMessage
		}
		return
	case s.undecided() && !s.due():
		s.next.WaitingFor = machineUnknown(node.Name, s.Machine.Why)
		s.again(s.drainLatest())
		return
	}
	s.blockReplace()
	if waits := s.turn(node); waits != "" {
		s.next.WaitingFor = waits
		return
	}
	s.wantHold(s.stage(replaces), timeOf(s.next.LatestStartTime))
	s.again(timeOf(s.next.StartTime))
	if s.Hold != nil && owns(s.Event, node, s.Hold) && holds(s.Hold, node) {
		s.start(node)
		return
	}
	s.next.WaitingFor = s.waitsToStart()
}

// keepWaiting keeps the hold, and its times, while the machine cannot be asked for: it could when the hold was made.
func (s *state) keepWaiting(node *corev1.Node) {
	s.wait(v1beta1.EventPhasePending, "")
	s.keepHold(timeOf(s.next.LatestStartTime))
	s.again(s.drainLatest())
	if owns(s.Event, node, s.Hold) && holds(s.Hold, node) {
		s.start(node)
		return
	}
	s.next.WaitingFor = machineUnknown(node.Name, s.Machine.Why)
}

// start notes that the drain has started, and goes on from there.
func (s *state) start(node *corev1.Node) {
	s.next.DrainStartTime, s.next.BootID = s.stamp(), node.Status.NodeInfo.BootID
	s.decision.Hold, s.decision.Again = nil, time.Time{}
	s.blocked, s.bypassed = "", ""
	s.started()
}

// ignore does nothing for the event, as long as no policy says otherwise. It ends once it is over for long.
func (s *state) ignore() {
	s.clearTimes()
	outcome := ignored(s.Event.Spec.Code, s.next.Policy)
	if end := over(s.Event).Add(ignoredFor); s.Now.Before(end) {
		s.next.Phase, s.next.WaitingFor, s.next.Outcome, s.next.EndTime = v1beta1.EventPhaseIgnored, "", outcome, nil
		s.again(end)
		return
	}
	s.end(v1beta1.EventPhaseIgnored, outcome)
}

// setTimes works out when the drain starts. Times that are off by no more than a minute stay.
func (s *state) setTimes(replaces bool) {
	surge := time.Duration(0)
	if replaces && s.adds() {
		surge = TimeoutOf(s.Policies)
	}
	t := TimesOf(s.Event, s.Policies, s.Drains, surge, replaces)
	if s.next.ExpectedDrainSeconds != nil && near(t.Start, timeOf(s.next.StartTime)) && near(t.LatestStart, timeOf(s.next.LatestStartTime)) {
		return
	}
	s.next.ExpectedDrainSeconds = ptr.To(int64(t.Expected / time.Second))
	s.next.StartTime, s.next.LatestStartTime = inSeconds(t.Start), inSeconds(t.LatestStart)
}
