// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fullNodeProfile has every field.
func fullNodeProfile() *v1beta1.NodeProfile {
	return &v1beta1.NodeProfile{
		ObjectMeta: metadata("worker-1.flatcar"),
		Spec:       v1beta1.NodeProfileSpec{NodeName: "worker-1", Profile: "flatcar"},
		Status: v1beta1.NodeProfileStatus{
			ProfileGeneration: 1, State: v1beta1.ProfileInMaintenance, Sequence: 4, Attempt: 2, Since: at(3),
			Previous: v1beta1.ProfileMaintenanceRequired, NodeUID: nodeUID, NodeGoneTime: at(80),
			Transition: fullTransition(), Checks: fullCheckStatuses(), WaitingFor: "check wait: until 08:00",
			Transitions: []v1beta1.TransitionStatus{{
				Name: "go", Next: v1beta1.ProfileOperational, Result: v1beta1.CheckFalse, Decisive: []string{"wait"}, WaitingFor: "wait",
			}},
			Notifications: []v1beta1.NotificationStatus{fullNotification()}, Decisions: fullDecisions(), History: fullHistory(),
			Hold:       fullNodeProfileHold(),
			Conditions: []metav1.Condition{fullCondition(v1beta1.ConditionAttached)},
		},
	}
}

func fullNodeProfileHold() *v1beta1.NodeProfileHold {
	return &v1beta1.NodeProfileHold{
		Name: "profile-flatcar-worker-1", UID: "3c9a5e0e", Source: v1beta1.HoldByState, Stage: v1beta1.StageDrain, Drain: fullDrain(),
		Reached: v1beta1.StageCordon, Message: "2 of 3 pods are still to leave",
	}
}

// fullTransition has a step of each kind of trigger.
func fullTransition() *v1beta1.RecordedTransition {
	transition := &v1beta1.RecordedTransition{
		ID: "3c9a5e0e/4.2", Phase: v1beta1.PhaseTriggers, Name: "go", From: v1beta1.ProfileInMaintenance,
		Next: v1beta1.ProfileOperational, By: "alice", ApprovedBy: []string{"bob"}, Reason: "it is urgent",
		Decisive: []string{"wait"}, DecidedTime: *micro(60),
		AbortedTime: at(70), HoldStage: v1beta1.StageDrain, HoldBefore: fullNodeProfileHold(),
	}
	for i, trigger := range fullTriggers() {
		transition.Steps = append(transition.Steps, v1beta1.TransitionStep{
			ID: fmt.Sprintf("%d-%s", i, trigger.Name), Trigger: trigger, Object: "jobs/reboot-1", Patch: "{}", BootID: "5f9c3a1e",
			State: v1beta1.StepRunning, StartTime: micro(61), Failures: 2, NextTime: micro(75), Message: "it runs",
		})
	}
	return transition
}

func fullCheckStatuses() []v1beta1.CheckStatus {
	return []v1beta1.CheckStatus{{
		Name: "wait", Result: v1beta1.CheckFalse, Message: "until 08:00", Info: map[string]string{"left": "5m"}, Since: at(3), NextTime: at(75),
	}}
}

func fullNotification() v1beta1.NotificationStatus {
	return v1beta1.NotificationStatus{
		ID: "n1", Notifier: "thread", Occasion: "4", Sequence: 4, State: v1beta1.NotificationPending,
		Target: v1beta1.NotificationTarget{
			Kind: v1beta1.NotifierMail, Endpoint: "mail", Channel: "#ops", From: "a@example.com", To: []string{"b@example.com"},
			PeriodSeconds: 43200, Delivery: v1beta1.DeliveryAtLeastOnce,
		},
		Texts: &v1beta1.NotificationTexts{Title: "Maintenance", Message: "worker-1"}, Hash: "9f86d081",
		Time: *at(4), Attempts: 1, NextTime: at(90), SentTime: at(5), Receipt: "1762070400.000200", Message: "try again",
	}
}

func fullDecisions() []v1beta1.RecordedDecision {
	return []v1beta1.RecordedDecision{{
		Decision: v1beta1.ProfileApprove, Transition: "go", Sequence: 4, By: "alice", Time: *at(50), ExpirationTime: at(500),
		Reason: "the team agrees", UsedBy: "3c9a5e0e/4.1",
	}}
}

func fullHistory() []v1beta1.TransitionHistory {
	return []v1beta1.TransitionHistory{{
		ID: "3c9a5e0e/3.1", Name: "begin", From: v1beta1.ProfileMaintenanceRequired, Next: v1beta1.ProfileInMaintenance,
		Result: v1beta1.TransitionAborted, DecidedTime: *at(1), EndedTime: *at(2), By: "bob", ApprovedBy: []string{"alice"}, Reason: "now",
		Decisive: []string{"label"}, Message: "the Job failed",
	}}
}
