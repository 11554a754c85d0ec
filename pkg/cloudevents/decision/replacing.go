// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// replacing is for nodes whose machine is being replaced. The hold stays until the machine and its node are gone.
func (s *state) replacing() {
	s.needMachines()
	stored := s.before.DrainStartTime != nil
	s.decision.MayReplace = stored && s.MachineAPI
	s.decision.Undo = s.decision.MayReplace && s.step() == v1beta1.StepDelete && Withdrawn(s.Event)
	s.wait(v1beta1.EventPhaseReplacing, "")
	if s.Found.Node == nil {
		s.withoutNode()
		return
	}
	stage := s.stage(true)
	s.wantHold(stage, s.drainLatest())
	isEmpty := s.noteDrained()
	if stage == v1beta1.StageDrain && !isEmpty && !s.taken() {
		s.next.Phase = v1beta1.EventPhaseDraining
	}
	if s.step() == v1beta1.StepAwaitDrain || s.step() == v1beta1.StepDelete {
		s.decision.MayDelete = s.decision.MayReplace && s.mayDelete()
		s.blockDelete(isEmpty)
	}
	s.next.WaitingFor = s.waitsToReplace(stage)
	s.blockMissing()
}

// withoutNode is for a node that is gone. Its hold goes, too: a new node of its name is not to be drained. The delete of its
// machine is recorded only once the node was empty, so it may have been sent by then.
func (s *state) withoutNode() {
	switch s.step() {
	case v1beta1.StepReplaced:
		s.giveBack()
	case v1beta1.StepDelete, v1beta1.StepAwaitGone, v1beta1.StepAwaitReplaced:
		s.next.WaitingFor = s.waitsToReplace(v1beta1.StageDrain)
		s.blockMissing()
	default:
		s.block(ReasonNodeGone, nodeGoneFirst(s.next.NodeName, s.next.Replacement))
		s.next.WaitingFor = s.blockedMessage
	}
}

// taken says that the machine is gone.
func (s *state) taken() bool {
	return s.step() == v1beta1.StepAwaitReplaced || s.step() == v1beta1.StepReplaced
}

// mayDelete says whether the hold, as it is stored, is the event's own, drains the whole node, and says for its present
// generation that the node is empty.
func (s *state) mayDelete() bool {
	node, h := s.Found.Node, s.Hold
	c := emptied(h, node)
	return c != nil && c.Reason == v1beta1.ReasonNodeEmpty && h.Status.SkippedPodCount == 0 &&
		owns(s.Event, node, h) && drainsAll(h)
}

// blockDelete says why the machine is not taken away although the drain is done.
func (s *state) blockDelete(isEmpty bool) {
	switch {
	case s.Hold == nil || s.decision.MayDelete:
	case s.Hold.Spec.Stage == v1beta1.StageDrain && (!drainsAll(s.Hold) || !owns(s.Event, s.Found.Node, s.Hold)):
		s.block(ReasonHoldNarrowed, holdNarrowed(s.Hold.Name, s.next.Replacement))
	case isEmpty && !s.mayDelete():
		s.block(ReasonPodsStay, podsStay(s.next.NodeName, s.Hold, s.next.Replacement))
	}
}

// blockMissing says that no machine came instead within the time for that.
func (s *state) blockMissing() {
	r := s.next.Replacement
	if s.step() != v1beta1.StepAwaitReplaced || r.StepTime == nil {
		return
	}
	until := r.StepTime.Add(TimeoutIn(r, s.Policies))
	if s.Now.Before(until) {
		s.again(until)
		return
	}
	s.block(ReasonReplacementMissing, replacementMissing(r))
}
