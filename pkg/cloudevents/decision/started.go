// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	nodeutil "k8s.io/component-helpers/node/util"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// started is for events whose drain has started.
func (s *state) started() {
	s.passOverRestart()
	switch {
	case s.happened() && s.undoable():
		s.undo(v1beta1.EventPhaseReplacing) // the node is given back after that
	case s.step() != "" && !s.gaveUp():
		s.replacing()
	case s.gaveUp() && s.Found.Node != nil && s.backBefore():
		s.backInService()
	case s.replaces() && s.Found.Node != nil && !s.isBack(s.Found.Node):
		s.replacing()
	case s.onlyCordoned() && s.undecided() && !s.due() && !s.isBack(s.Found.Node):
		s.keepHold(s.drainLatest())
		s.wait(v1beta1.EventPhaseReplacing, machineUnknown(s.next.NodeName, s.Machine.Why))
	default:
		s.draining()
	}
}

// happened says that the source says that the event has happened, and that the node is Ready.
func (s *state) happened() bool {
	return s.Event.Spec.State == v1beta1.EventCompleted && s.Found.Node != nil && s.isBack(s.Found.Node)
}

// onlyCordoned says that the node is cordoned until a machine has been added, and not drained.
func (s *state) onlyCordoned() bool {
	return s.Found.Node != nil && s.Hold != nil && s.Hold.Spec.Stage == v1beta1.StageCordon
}

// backBefore says that a node whose machine was not replaced goes back into service until its drain has to start: it has
// only been cordoned, or was given back already. If the event has happened, none starts.
func (s *state) backBefore() bool {
	ahead := !s.drainLatest().IsZero() && !s.due() && !s.happened()
	return ahead && (s.Hold == nil || s.Hold.Spec.Stage == v1beta1.StageCordon)
}

// backInService gives such a node back, and begins anew with its drain once that is done.
func (s *state) backInService() {
	s.decision.MayReplace = s.step() == v1beta1.StepUndo && s.MachineAPI
	if s.Hold == nil && s.step() == v1beta1.StepGivenUp {
		s.next.DrainStartTime, s.next.DrainedTime, s.next.BootID = nil, nil, ""
		s.clearTimes()
		s.pending()
		return
	}
	s.blockReplace()
	s.wait(v1beta1.EventPhaseReplacing, s.undoing())
	if s.Hold != nil {
		s.next.WaitingFor = givingBack(s.Hold)
	}
	s.again(s.drainLatest())
}

// draining is for nodes whose machine goes and comes back, or is replaced by a person or another event.
func (s *state) draining() {
	s.decision.MayReplace = s.step() == v1beta1.StepUndo && s.MachineAPI
	s.blockReplace()
	node := s.Found.Node
	if node == nil || s.isBack(node) || s.twinReplaced() != "" {
		s.returned = node != nil && s.isBack(node) && s.before.Phase != v1beta1.EventPhaseReturning
		s.blocked = ""
		s.giveBack()
		return
	}
	s.wantHold(v1beta1.StageDrain, s.drainLatest())
	if !s.noteDrained() {
		s.wait(v1beta1.EventPhaseDraining, s.waitsToDrain())
		return
	}
	s.wait(v1beta1.EventPhaseDrained, s.waitsForMachine(node))
}

// noteDrained notes when the node was empty for the first time, and says whether it is now.
func (s *state) noteDrained() bool {
	if emptied(s.Hold, s.Found.Node) == nil {
		return false
	}
	if s.next.DrainedTime == nil {
		s.next.DrainedTime = s.stamp()
	}
	return true
}

// isBack says whether the node may be given back: it is Ready, and its machine has started anew since the drain, or the
// source says that the event has happened. A machine that is replaced does not come back by itself.
func (s *state) isBack(node *corev1.Node) bool {
	ready := readyCondition(node)
	if ready == nil {
		return false
	}
	happened := s.Event.Spec.State == v1beta1.EventCompleted
	switch {
	case happened && v1beta1.IsCollected(s.Event.Spec.Source) && s.takesMachine():
		// A cloud says so once the machine is stopped. The node of a stopped machine looks Ready for about a minute more.
		return s.startedAnew(node, ready)
	case happened:
		return true
	}
	return s.next.Action == v1beta1.EventActionDrain && s.startedAnew(node, ready)
}

// readyCondition is the condition Ready of a node that is Ready, and nil for others.
func readyCondition(node *corev1.Node) *corev1.NodeCondition {
	_, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
	if ready == nil || ready.Status != corev1.ConditionTrue {
		return nil
	}
	return ready
}

// startedAnew says whether the machine of the node has started anew since the drain began.
func (s *state) startedAnew(node *corev1.Node, ready *corev1.NodeCondition) bool {
	if s.next.BootID != "" {
		return restarted(s.next.BootID, node)
	}
	return ready.LastTransitionTime.After(later(s.next.DrainStartTime.Time, s.restartsCountFrom()))
}

// passOverRestart notes a restart that does not count, so that the next one does.
func (s *state) passOverRestart() {
	node := s.Found.Node
	if node != nil && s.Now.Before(s.restartsCountFrom()) && restarted(s.next.BootID, node) {
		s.next.BootID = node.Status.NodeInfo.BootID
	}
}

// restartsCountFrom is the time from which a restart of the machine is what was announced; zero: from the drain on. What
// starts the machine before the time of a reboot by a cloud is something else, such as a crash, and the cloud reboots it all
// the same. If the event is brought forward, the cloud says that it has happened. For other events, nobody may.
func (s *state) restartsCountFrom() time.Time {
	if !v1beta1.IsCollected(s.Event.Spec.Source) || s.next.Action != v1beta1.EventActionDrain {
		return time.Time{}
	}
	return timeOf(s.Event.Spec.NotBefore)
}

// restarted says whether the machine of the node has started anew since it had a boot ID.
func restarted(bootID string, node *corev1.Node) bool {
	return v1beta1.HasRebooted(bootID, node.Status.NodeInfo.BootID)
}
