// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// StateSpec is what a profile does in a state; nil if this version does not know the state.
func StateSpec(profile *v1beta1.MaintenanceProfile, state v1beta1.ProfileState) *v1beta1.ProfileStateSpec {
	switch state {
	case v1beta1.ProfileOperational:
		return &profile.Spec.States.Operational
	case v1beta1.ProfileMaintenanceRequired:
		return &profile.Spec.States.MaintenanceRequired
	case v1beta1.ProfileInMaintenance:
		return &profile.Spec.States.InMaintenance
	default:
		return nil
	}
}

// Start has a new NodeProfile begin as Operational. Nothing is done and nobody is told for that.
func Start(status *v1beta1.NodeProfileStatus, node types.UID, now time.Time) {
	status.State, status.Sequence, status.NodeUID = v1beta1.ProfileOperational, 1, node
	status.Since = second(now)
}

// Decided is a transition that is to be taken.
type Decided struct {
	// Transition is the transition, as the profile has it.
	Transition *v1beta1.ProfileTransition
	// Decisive are the checks that decided.
	Decisive []string
	// Pushed is the decision that has pushed it; nil if its checks have passed.
	Pushed *v1beta1.RecordedDecision
	// ApprovedBy are the users whose approvals counted.
	ApprovedBy []string
	// HoldStage is the stage of the hold that is waited for before the first step; empty: none.
	HoldStage v1beta1.MaintenanceStage
	// Steps are its triggers.
	Steps []v1beta1.TransitionStep
}

// Record writes down a transition that was decided, as the next attempt. A push is used up by that.
func Record(nodeProfile *v1beta1.NodeProfile, decided Decided, now time.Time) {
	status := &nodeProfile.Status
	status.Attempt++
	recorded := &v1beta1.RecordedTransition{
		ID: ID(nodeProfile.UID, status.Sequence, status.Attempt), Phase: v1beta1.PhaseTriggers,
		Name: decided.Transition.Name, From: status.State, Next: decided.Transition.Next, Decisive: decided.Decisive,
		ApprovedBy: decided.ApprovedBy, DecidedTime: micro(now), HoldStage: decided.HoldStage, HoldBefore: holdNow(status),
		Steps: decided.Steps,
	}
	if decided.Pushed != nil {
		recorded.By, recorded.Reason, recorded.HoldStage = decided.Pushed.By, decided.Pushed.Reason, ""
		use(status, decided.Pushed, recorded.ID)
	}
	status.Transition = recorded
}

// ID is the id of a transition: no other one has it.
func ID(nodeProfile types.UID, sequence, attempt int64) string {
	return fmt.Sprintf("%s/%d.%d", nodeProfile, sequence, attempt)
}

// Commit enters the next state of the recorded transition. Its enter steps are done next, and if it has none, the
// transition is over.
func Commit(nodeProfile *v1beta1.NodeProfile, enter []v1beta1.TransitionStep, now time.Time) {
	status := &nodeProfile.Status
	done := status.Transition
	remember(status, done, v1beta1.TransitionHistory{
		From: done.From, Next: done.Next, Result: v1beta1.TransitionDone, By: done.By, Reason: done.Reason, Message: said(done.Steps),
	}, now)
	goTo(status, done.Next, now)
	status.Transition = nil
	if len(enter) > 0 {
		status.Transition = done.DeepCopy()
		status.Transition.Phase, status.Transition.Steps, status.Transition.HoldStage = v1beta1.PhaseEnter, enter, ""
	}
}

// goTo enters a state.
func goTo(status *v1beta1.NodeProfileStatus, next v1beta1.ProfileState, now time.Time) {
	status.Previous, status.State = status.State, next
	status.Sequence++
	status.Attempt, status.Since = 0, second(now)
	status.Checks, status.Transitions, status.WaitingFor = nil, nil, ""
}

// Entered ends the steps of a state that was entered: transitions are considered from now on. What people should know of
// the steps is kept with the transition.
func Entered(status *v1beta1.NodeProfileStatus) {
	entered := status.Transition
	status.Transition = nil
	last := len(status.History) - 1
	if message := said(entered.Steps); message != "" && last >= 0 && status.History[last].ID == entered.ID {
		kept := &status.History[last]
		if kept.Message != "" {
			message = quote.Cut(kept.Message+"; "+message, v1beta1.MaxProfileMessageBytes)
		}
		kept.Message = message
	}
}

// Drop forgets a transition of which nothing was done. Its attempt is not used again. A push that has started it counts
// again.
func Drop(status *v1beta1.NodeProfileStatus) {
	for i := range status.Decisions {
		if status.Decisions[i].UsedBy == status.Transition.ID {
			status.Decisions[i].UsedBy = ""
		}
	}
	status.Transition = nil
}

// Void has an attempt never be used, since it is not known what became of it.
func Void(status *v1beta1.NodeProfileStatus, attempt int64) {
	status.Attempt = max(status.Attempt, attempt)
}

// Cause is the reason why a transition is given up, or a state is left without one.
type Cause struct {
	// By is the user who has decided so; empty: nobody has.
	By string
	// Reason is the reason why that user has.
	Reason string
	// Message says what has failed or changed.
	Message string
}

// Abort gives the recorded transition up. The state stays; if it was entered already, the one before is entered again. The
// hold is to be as it was before.
func Abort(status *v1beta1.NodeProfileStatus, cause Cause, now time.Time) {
	given := status.Transition
	ended := v1beta1.TransitionHistory{
		From: given.From, Next: given.Next, Result: v1beta1.TransitionAborted,
		By: cause.By, Reason: cause.Reason, Message: cause.Message,
	}
	if given.Phase == v1beta1.PhaseEnter {
		ended.From, ended.Next = given.Next, given.From
	}
	remember(status, given, ended, now)
	if given.Phase == v1beta1.PhaseEnter {
		goTo(status, given.From, now)
	}
	restoreHold(status, given.HoldBefore)
	status.Transition = nil
}

// Reset leaves the state for Operational without a transition. What was under way is given up.
func Reset(status *v1beta1.NodeProfileStatus, cause Cause, now time.Time) {
	if status.Transition != nil {
		Abort(status, cause, now)
	}
	if status.State == v1beta1.ProfileOperational {
		return
	}
	remember(status, &v1beta1.RecordedTransition{DecidedTime: micro(now)}, v1beta1.TransitionHistory{
		From: status.State, Next: v1beta1.ProfileOperational, Result: v1beta1.TransitionDone,
		By: cause.By, Reason: cause.Reason, Message: cause.Message,
	}, now)
	goTo(status, v1beta1.ProfileOperational, now)
}

// remember adds the end of a transition to the history.
func remember(status *v1beta1.NodeProfileStatus, of *v1beta1.RecordedTransition, end v1beta1.TransitionHistory, now time.Time) {
	end.ID, end.Name, end.DecidedTime, end.EndedTime = of.ID, of.Name, metav1.NewTime(of.DecidedTime.Time), *second(now)
	end.ApprovedBy, end.Decisive = of.ApprovedBy, of.Decisive
	status.History = append(status.History, end)
	if more := len(status.History) - v1beta1.MaxHistory; more > 0 {
		status.History = status.History[more:]
	}
}

// second is a time as most fields keep it.
func second(t time.Time) *metav1.Time {
	stored := metav1.NewTime(t.Truncate(time.Second))
	return &stored
}

func micro(t time.Time) metav1.MicroTime { return metav1.NewMicroTime(t.Truncate(time.Microsecond)) }

// SameEnd says whether two entries of a history are the same.
func SameEnd(a, b *v1beta1.TransitionHistory) bool {
	return a.ID == b.ID && a.Result == b.Result && a.Name == b.Name && a.EndedTime.Equal(&b.EndedTime) && a.Next == b.Next
}
