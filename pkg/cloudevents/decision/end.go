// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// withdraw takes back what the event has begun: what was added for the replacement first, so that no machine is taken
// away from a node that is in service, and then the hold.
func (s *state) withdraw() {
	if s.undoable() {
		s.undo(v1beta1.EventPhaseReturning)
		return
	}
	if s.Hold != nil {
		s.wait(v1beta1.EventPhaseReturning, givingBack(s.Hold))
		return
	}
	s.end(v1beta1.EventPhaseCanceled, canceled(s.Event))
}

// undoable says that the replacement has changed something, or may have, and that the delete of the machine was not sent
// for certain.
func (s *state) undoable() bool {
	switch s.step() {
	case v1beta1.StepSurge, v1beta1.StepAwaitNewNode, v1beta1.StepAwaitDrain, v1beta1.StepDelete, v1beta1.StepUndo:
		return true
	}
	return false
}

// undo takes back what was added for the replacement. The node is held meanwhile.
func (s *state) undo(phase v1beta1.ScheduledEventPhase) {
	s.decision.Undo = s.MachineAPI
	switch {
	case s.step() == v1beta1.StepDelete && s.Found.Node != nil: // the machine may be going: nothing may come to its node
		s.wantHold(v1beta1.StageDrain, time.Time{})
	case s.MachineAPI || s.step() != v1beta1.StepUndo: // what was sent before may still take the machine away
		s.keepHold(time.Time{})
	}
	s.wait(phase, s.undoing())
	s.needMachines()
}

// goesOn says that the replacement goes on although the event is withdrawn: the machine is going, or may be. Only who
// deletes the event need not wait until another machine has come.
func (s *state) goesOn() bool {
	switch s.step() {
	case v1beta1.StepDelete, v1beta1.StepAwaitGone:
		return true
	case v1beta1.StepAwaitReplaced, v1beta1.StepReplaced:
		return s.Event.DeletionTimestamp == nil
	}
	return false
}

// held says that the hold is there, and that nobody has deleted it yet. While its deletion is refused, the node may go once
// more, so it is decided anew whether to give it back.
func (s *state) held() bool { return s.Hold != nil && s.Hold.DeletionTimestamp == nil }

// giveBack takes the hold away, and ends the event once it is gone.
func (s *state) giveBack() {
	if s.Hold != nil {
		s.wait(v1beta1.EventPhaseReturning, givingBack(s.Hold))
		return
	}
	if s.unsettled() {
		s.decision.Undo = s.MachineAPI
		s.needMachines()
		s.wait(v1beta1.EventPhaseReturning, s.settling())
		return
	}
	s.end(v1beta1.EventPhaseCompleted, s.completed())
}

// unsettled says that what was changed for the replacement is not undone yet, and that the machine is not gone.
func (s *state) unsettled() bool {
	switch s.step() {
	case "", v1beta1.StepAwaitReplaced, v1beta1.StepReplaced, v1beta1.StepGivenUp:
		return false
	}
	return true
}

func (s *state) settling() string {
	if s.step() == v1beta1.StepUndo {
		return s.undoing()
	}
	return s.troubled(stepToEnd(s.next.Replacement))
}

// completed is how an event ended that happened.
func (s *state) completed() string {
	node := s.next.NodeName
	switch {
	case s.step() == v1beta1.StepReplaced:
		return replaced(node, s.next.Replacement)
	case s.twinReplaced() != "":
		return replacedByOther(node, s.twinReplaced())
	case s.Found.Gone:
		return nodeGone(node)
	case s.next.DrainStartTime == nil:
		return overBefore(node)
	default:
		return cameBack(node, s.next.DrainedTime)
	}
}

// keepHold wants the hold as it is: the node is neither given back nor drained further. latest is when it has to start;
// zero: it has started.
func (s *state) keepHold(latest time.Time) {
	if s.Hold == nil || s.Found.Node == nil {
		return
	}
	stage := v1beta1.StageCordon
	if s.Hold.Spec.Stage == v1beta1.StageDrain {
		stage = v1beta1.StageDrain
	}
	s.wantHold(stage, latest)
}
