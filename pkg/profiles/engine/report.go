// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
)

// report notes what people are to see beside the results of checks: the hold, and the conditions.
func (t *term) report(v *view) {
	status := &v.next.Status
	reportHold(v)
	if status.Transition != nil {
		status.WaitingFor = stepWaits(status.Transition)
	}
	for _, condition := range []metav1.Condition{attachedCondition(v), nodeCondition(v), actingCondition(v.idleReason, v.idleMessage)} {
		machine.SetCondition(status, condition, v.now)
	}
}

// reportHold notes how far the hold is, as it was seen.
func reportHold(v *view) {
	noted := v.next.Status.Hold
	if noted == nil {
		return
	}
	noted.Reached, noted.Message = v.hold.Reached, text(v.hold.Message)
	if v.hold.Hold != nil {
		noted.UID = v.hold.Hold.UID
	}
}

// stepWaits says what the step waits for that is being done; empty: for nothing.
func stepWaits(transition *v1beta1.RecordedTransition) string {
	step := machine.Current(transition)
	if step == nil || step.Message == "" {
		return ""
	}
	return step.Trigger.Name + ": " + step.Message
}

func attachedCondition(v *view) metav1.Condition {
	condition := metav1.Condition{Type: v1beta1.ConditionAttached, Status: metav1.ConditionTrue, Reason: v1beta1.ReasonSelected}
	if v.selected {
		return condition
	}
	condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, v1beta1.ReasonNotSelected, leavingMessage(v)
	if v.profile == nil || v.profile.DeletionTimestamp != nil {
		condition.Reason = v1beta1.ReasonProfileDeleted
	}
	return condition
}

func nodeCondition(v *view) metav1.Condition {
	if v.node != nil {
		return metav1.Condition{Type: v1beta1.ConditionNodeFound, Status: metav1.ConditionTrue, Reason: v1beta1.ReasonNodeFound}
	}
	return metav1.Condition{
		Type: v1beta1.ConditionNodeFound, Status: metav1.ConditionFalse, Reason: v1beta1.ReasonNodeNotFound,
		Message: "the node does not exist; it keeps its state for as long as nodeGoneSeconds of the profile says",
	}
}

// actingCondition says whether something is done; with a reason, it is not.
func actingCondition(idleReason, message string) metav1.Condition {
	if idleReason == "" {
		return metav1.Condition{Type: v1beta1.ConditionActing, Status: metav1.ConditionTrue, Reason: v1beta1.ReasonActing}
	}
	return metav1.Condition{Type: v1beta1.ConditionActing, Status: metav1.ConditionFalse, Reason: idleReason, Message: message}
}

// bound keeps texts and lists as short as a status may be.
func (t *term) bound(status *v1beta1.NodeProfileStatus) {
	status.WaitingFor = text(status.WaitingFor)
	for i := range status.Checks {
		status.Checks[i].Message = text(status.Checks[i].Message)
	}
	for i := range status.Transitions {
		status.Transitions[i].WaitingFor = text(status.Transitions[i].WaitingFor)
	}
	for i := range status.Conditions {
		status.Conditions[i].Message = text(status.Conditions[i].Message)
	}
}
