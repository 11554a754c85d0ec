// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// waitsToStart is what a drain waits for that has not started.
func (s *state) waitsToStart() string {
	node, start, latest := s.next.NodeName, timeOf(s.next.StartTime), timeOf(s.next.LatestStartTime)
	waits := s.waits(s.decision.Hold.Stage)
	switch {
	case s.blocked == ReasonLatestStartPassed:
		return s.blockedMessage
	case waits != "" && s.decision.Hold.Bypass:
		return cordonToCome(node)
	case len(s.closed()) > 0 && !s.decision.Hold.Bypass:
		return notInTime(node, s.closed(), latest, waitsFor(s.Policies))
	case waits != "":
		return policiesToAllow(node, waits, latest, waitsFor(s.Policies))
	case start.After(s.Now):
		return startToCome(node, start, latest, waitsFor(s.Policies))
	default:
		return cordonToCome(node) + s.heldBack(v1beta1.ConditionCordoned)
	}
}

// waitsToDrain is what a drain waits for that has started.
func (s *state) waitsToDrain() string {
	if s.blocked == ReasonLatestStartPassed {
		return s.blockedMessage
	}
	if waits := s.waits(s.decision.Hold.Stage); waits != "" && !s.decision.Hold.Bypass {
		return policiesToAllow(s.next.NodeName, waits, s.drainLatest(), waitsFor(s.Policies))
	}
	return drainToEnd(s.next.NodeName) + s.heldBack(v1beta1.ConditionDrained)
}

// heldBack is what the hold says of a condition that is not True, for the end of a sentence.
func (s *state) heldBack(kind string) string {
	if s.Hold == nil || s.Hold.Status.ObservedGeneration != s.Hold.Generation {
		return ""
	}
	c := apimeta.FindStatusCondition(s.Hold.Status.Conditions, kind)
	if c == nil || apimeta.IsStatusConditionTrue(s.Hold.Status.Conditions, kind) {
		return ""
	}
	message := c.Message
	if blocked := apimeta.FindStatusCondition(s.Hold.Status.Conditions, v1beta1.ConditionBlocked); blocked != nil && blocked.Status == "True" {
		message += "; " + blocked.Message
	}
	return because(message)
}

// waitsForMachine is what an empty node waits for.
func (s *state) waitsForMachine(node *corev1.Node) string {
	switch other := s.twin(); {
	case other != "":
		return otherReplaces(node.Name, other)
	case s.blocked != "":
		return s.blockedMessage
	case readyCondition(node) == nil && (s.Event.Spec.State == v1beta1.EventCompleted || restarted(s.next.BootID, node)):
		return readyToCome(node.Name)
	case s.undecided():
		return machineUnknown(node.Name, s.Machine.Why)
	default:
		return machineToReturn(node.Name, &s.Event.Spec)
	}
}

// waitsToReplace is what the replacement of the machine waits for.
func (s *state) waitsToReplace(stage v1beta1.MaintenanceStage) string {
	r := s.next.Replacement
	switch {
	case s.blocked != "":
		return s.blockedMessage
	case s.taken() && s.Found.Node != nil:
		return nodeToGo(s.next.NodeName, r)
	case s.step() == v1beta1.StepAwaitDrain, stage == v1beta1.StageDrain && s.decision.Hold != nil && !s.taken() && emptied(s.Hold, s.Found.Node) == nil:
		return s.waitsToDrain()
	case r == nil:
		return replacementToBegin(s.Machine.Name)
	default:
		return s.troubled(stepToEnd(r))
	}
}

// undoing is what an event waits for whose replacement is withdrawn.
func (s *state) undoing() string { return s.troubled(undoing(s.next.Replacement)) }

// troubled adds why machines could not be looked at or changed.
func (s *state) troubled(sentence string) string {
	if s.ReplacementFails == "" {
		return sentence
	}
	return sentence + because(s.ReplacementFails)
}
