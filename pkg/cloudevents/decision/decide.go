// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// kept is how long the object of an event is kept after its end.
const kept = 7 * 24 * time.Hour

// Decide says what follows from the facts. Deciding again with the status and the hold of the decision changes nothing,
// and sends nothing.
func Decide(f Facts) Decision {
	s := &state{Facts: f, before: &f.Event.Status, next: f.Event.Status.DeepCopy()}
	s.next.ObservedGeneration = f.Event.Generation
	s.decide()
	s.setConditions()
	s.decision.Status = *s.next
	s.decision.Notes = s.notes()
	return s.decision
}

// state is a decision that is being made.
type state struct {
	Facts
	// before is the status as it is stored, and next what it is to say.
	before, next *v1beta1.ScheduledEventStatus
	decision     Decision
	// blocked is the reason why a person has to do something; empty: nobody has to.
	blocked, blockedMessage string
	// returned says that the machine was seen to have come back, and bypassed which waits of policies are cut short.
	returned bool
	bypassed string
}

func (s *state) decide() {
	switch {
	case Ended(s.Event):
		s.ended()
	case Withdrawn(s.Event) && !s.goesOn():
		s.withdraw()
	case s.before.Phase == v1beta1.EventPhaseReturning && !Withdrawn(s.Event) && !s.held():
		s.giveBack()
	case s.before.DrainStartTime != nil:
		s.started()
	default:
		s.pending()
	}
}

// ended leaves the status as it is. A hold that is still there goes.
func (s *state) ended() {
	end := s.before.EndTime.Add(kept)
	s.decision.Finalized = s.Event.DeletionTimestamp != nil && s.Hold == nil
	s.decision.Expired = !s.Now.Before(end)
	if !s.decision.Expired {
		s.decision.Again = end
	}
}

// end ends the event.
func (s *state) end(phase v1beta1.ScheduledEventPhase, outcome string) {
	s.next.Phase, s.next.Outcome, s.next.WaitingFor, s.next.EndTime = phase, outcome, "", s.stamp()
	s.blocked, s.decision.Hold = "", nil
	s.decision.MayReplace, s.decision.MayDelete, s.decision.Undo = false, false, false
	s.decision.Finalized = s.Event.DeletionTimestamp != nil && s.Hold == nil
	s.decision.Again = s.next.EndTime.Add(kept)
}

func (s *state) stamp() *metav1.Time {
	return &metav1.Time{Time: s.Now.Truncate(time.Second)}
}

// wait says what the event waits for.
func (s *state) wait(phase v1beta1.ScheduledEventPhase, sentence string) {
	s.next.Phase, s.next.WaitingFor, s.next.Outcome, s.next.EndTime = phase, sentence, "", nil
}

// block says that a person has to do something. What was said first counts.
func (s *state) block(reason, sentence string) {
	if s.blocked == "" {
		s.blocked, s.blockedMessage = reason, sentence
	}
}

// again has the decision made again at a time, if that is ahead.
func (s *state) again(at time.Time) {
	if at.After(s.Now) && (s.decision.Again.IsZero() || at.Before(s.decision.Again)) {
		s.decision.Again = at
	}
}

// setConditions sets Blocked and Completed. Those of an event that has ended stay.
func (s *state) setConditions() {
	if Ended(s.Event) {
		return
	}
	completed, reason := metav1.ConditionTrue, ReasonInProgress
	switch s.next.Phase {
	case v1beta1.EventPhaseCompleted:
		reason = ReasonCompleted
	case v1beta1.EventPhaseCanceled:
		reason = ReasonCanceled
	case v1beta1.EventPhaseIgnored:
		reason = ReasonIgnored
	default:
		completed = metav1.ConditionFalse
	}
	s.condition(v1beta1.ConditionCompleted, completed, reason, s.next.Outcome)
	if message := s.refused(); s.blocked == "" && message != "" {
		s.block(ReasonHoldRefused, message)
		s.next.WaitingFor = message
	}
	if s.blocked == "" {
		s.condition(v1beta1.ConditionBlocked, metav1.ConditionFalse, v1beta1.ReasonNotBlocked, "")
		return
	}
	s.condition(v1beta1.ConditionBlocked, metav1.ConditionTrue, s.blocked, s.blockedMessage)
}

// refused says what the server has refused of what is wanted of the hold; empty: nothing.
func (s *state) refused() string {
	switch {
	case s.decision.Hold != nil && s.Refusal != "":
		return holdRefused(s.decision.Hold.Name, s.Refusal)
	case s.decision.Hold == nil && s.Hold != nil && s.Kept != "":
		return holdKept(s.Hold, s.Kept)
	}
	return ""
}

func (s *state) condition(kind string, status metav1.ConditionStatus, reason, message string) {
	apimeta.SetStatusCondition(&s.next.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message,
		ObservedGeneration: s.Event.Generation, LastTransitionTime: *s.stamp(),
	})
}
