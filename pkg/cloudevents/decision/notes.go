// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// notes are the Kubernetes events for what the decision changes.
func (s *state) notes() []Note {
	var notes []Note
	add := func(when bool, kind, reason, message string, onNode bool) {
		if when {
			notes = append(notes, Note{Type: kind, Reason: reason, Message: message, OnNode: onNode})
		}
	}
	before, next, node := s.before, s.next, s.next.NodeName
	add(next.Phase == v1beta1.EventPhaseIgnored && next.Policy == "" && before.Phase != next.Phase,
		corev1.EventTypeWarning, ReasonUnknownCode, next.Outcome, false)
	scheduled := next.ExpectedDrainSeconds != nil && next.DrainStartTime == nil && s.scheduledAnew()
	add(scheduled, corev1.EventTypeNormal, ReasonDrainScheduled, drainScheduled(node, next, s.Now, s.closed(), waitsFor(s.Policies)), true)
	add(next.ExpectedDrainSeconds != nil && before.ExpectedDrainSeconds == nil && s.tooLate(),
		corev1.EventTypeWarning, ReasonLateStart, lateStart(node, EmptyBy(&s.Event.Spec), s.Now, next), true)
	add(s.bypassed != "", corev1.EventTypeWarning, ReasonStartedInSpiteOfPolicies, startedInSpite(node, s.bypassed, s.drainLatest()), true)
	add(before.DrainStartTime == nil && next.DrainStartTime != nil, corev1.EventTypeNormal, ReasonDrainStarted, drainStarted(node, s.Event), true)
	add(before.DrainedTime == nil && next.DrainedTime != nil, corev1.EventTypeNormal, ReasonDrained, drained(node, s.Event), true)
	notes = append(notes, s.blockedNotes()...)
	add(s.returned, corev1.EventTypeNormal, ReasonMachineReturned, machineReturned(node), true)
	if before.EndTime == nil && next.EndTime != nil {
		add(next.Phase == v1beta1.EventPhaseCompleted, corev1.EventTypeNormal, ReasonEventCompleted, next.Outcome, false)
		add(next.Phase == v1beta1.EventPhaseCanceled, corev1.EventTypeNormal, ReasonEventCanceled, next.Outcome, false)
	}
	return notes
}

// scheduledAnew says that the times of the drain were not known before, or that the event has changed since, and they
// with it.
func (s *state) scheduledAnew() bool {
	return s.before.ExpectedDrainSeconds == nil ||
		s.before.ObservedGeneration != s.next.ObservedGeneration && !near(timeOf(s.before.LatestStartTime), timeOf(s.next.LatestStartTime))
}

// tooLate says that the node will most likely not be empty in time.
func (s *state) tooLate() bool {
	by := EmptyBy(&s.Event.Spec)
	return !by.IsZero() && by.Sub(s.Now).Seconds() < float64(*s.next.ExpectedDrainSeconds)
}

// blockedNotes is the Kubernetes event for what a person has to do from now on.
func (s *state) blockedNotes() []Note {
	was := apimeta.FindStatusCondition(s.before.Conditions, v1beta1.ConditionBlocked)
	if s.blocked == "" || was != nil && was.Status == metav1.ConditionTrue && was.Reason == s.blocked {
		return nil
	}
	return []Note{{Type: corev1.EventTypeWarning, Reason: s.blocked, Message: s.blockedMessage, OnNode: s.next.NodeName != ""}}
}

// order is that of the steps of a replacement, without those that undo it.
var order = []v1beta1.ReplacementStep{
	v1beta1.StepSurge, v1beta1.StepAwaitNewNode, v1beta1.StepAwaitDrain, v1beta1.StepDelete, v1beta1.StepAwaitGone,
	v1beta1.StepAwaitReplaced, v1beta1.StepReplaced,
}

// ReplacementNotes are the Kubernetes events for what changed in the replacement of a machine: SurgeAdded, NewNodeReady,
// MachineDeleted and MachineReplaced. before is nil if it begins. Several steps may have been taken at once. None if no step
// changes.
func ReplacementNotes(before, after *v1beta1.MachineReplacement) []Note {
	if after == nil {
		return nil
	}
	from, to := stepOf(before), slices.Index(order, after.Step)
	var notes []Note
	add := func(step v1beta1.ReplacementStep, when bool, reason, message string) {
		if at := slices.Index(order, step); when && from < at && at <= to {
			notes = append(notes, Note{Type: corev1.EventTypeNormal, Reason: reason, Message: message})
		}
	}
	surges := after.Strategy == v1beta1.SurgeFirst && to < slices.Index(order, v1beta1.StepAwaitGone)
	add(v1beta1.StepAwaitNewNode, surges, ReasonSurgeAdded, surgeAdded(after))
	add(v1beta1.StepAwaitDrain, surges && after.NewNode != "", ReasonNewNodeReady, newNodeReady(after))
	add(v1beta1.StepAwaitReplaced, true, ReasonMachineDeleted, machineDeleted(after))
	add(v1beta1.StepReplaced, true, ReasonMachineReplaced, machineReplaced(after))
	return notes
}

// stepOf is how far a replacement was. One that was being undone goes on when its machine is taken away all the same.
func stepOf(before *v1beta1.MachineReplacement) int {
	if before == nil {
		return -1
	}
	if at := slices.Index(order, before.Step); at >= 0 {
		return at
	}
	return slices.Index(order, v1beta1.StepDelete)
}
