// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fullNodeProfile has every field.
func fullNodeProfile() *maintenance.NodeProfile {
	return &maintenance.NodeProfile{
		ObjectMeta: metadata("worker-1.flatcar"),
		Spec:       maintenance.NodeProfileSpec{NodeName: "worker-1", Profile: "flatcar"},
		Status: maintenance.NodeProfileStatus{
			ProfileGeneration: 1, State: maintenance.ProfileInMaintenance, Sequence: 4, Attempt: 2, Since: at(3),
			Previous: maintenance.ProfileMaintenanceRequired, NodeUID: nodeUID, NodeGoneTime: at(80),
			Transition: fullTransition(), Checks: fullCheckStatuses(), WaitingFor: "check wait: until 08:00",
			Transitions: []maintenance.TransitionStatus{{
				Name: "go", Next: maintenance.ProfileOperational, Result: maintenance.CheckFalse, Decisive: []string{"wait"}, WaitingFor: "wait",
			}},
			Notifications: []maintenance.NotificationStatus{fullNotification()}, Decisions: fullDecisions(), History: fullHistory(),
			Hold:       fullNodeProfileHold(),
			Conditions: []metav1.Condition{fullCondition(v1beta1.ConditionAttached)},
		},
	}
}

func fullNodeProfileHold() *maintenance.NodeProfileHold {
	return &maintenance.NodeProfileHold{
		Name: "profile-flatcar-worker-1", UID: "3c9a5e0e", Source: maintenance.HoldByState, Stage: maintenance.StageDrain, Drain: fullDrain(),
		Reached: maintenance.StageCordon, Message: "2 of 3 pods are still to leave",
	}
}

// fullTransition has a step of each kind of trigger.
func fullTransition() *maintenance.RecordedTransition {
	transition := &maintenance.RecordedTransition{
		ID: "3c9a5e0e/4.2", Phase: maintenance.PhaseTriggers, Name: "go", From: maintenance.ProfileInMaintenance,
		Next: maintenance.ProfileOperational, By: "alice", ApprovedBy: []string{"bob"}, Reason: "it is urgent",
		Decisive: []string{"wait"}, DecidedTime: *micro(60),
		AbortedTime: at(70), HoldStage: maintenance.StageDrain, HoldBefore: fullNodeProfileHold(),
	}
	for i, trigger := range fullTriggers() {
		transition.Steps = append(transition.Steps, maintenance.TransitionStep{
			ID: fmt.Sprintf("%d-%s", i, trigger.Name), Trigger: trigger, Object: "jobs/reboot-1", Patch: "{}", BootID: "5f9c3a1e",
			State: maintenance.StepRunning, StartTime: micro(61), Failures: 2, NextTime: micro(75), Message: "it runs",
		})
	}
	return transition
}

func fullCheckStatuses() []maintenance.CheckStatus {
	return []maintenance.CheckStatus{{
		Name: "wait", Result: maintenance.CheckFalse, Message: "until 08:00", Info: map[string]string{"left": "5m"}, Since: at(3), NextTime: at(75),
	}}
}

func fullNotification() maintenance.NotificationStatus {
	return maintenance.NotificationStatus{
		ID: "n1", Notifier: "thread", Occasion: "4", Sequence: 4, State: maintenance.NotificationPending,
		Target: maintenance.NotificationTarget{
			Kind: maintenance.NotifierMail, Endpoint: "mail", Channel: "#ops", From: "a@example.com", To: []string{"b@example.com"},
			PeriodSeconds: 43200, Delivery: maintenance.DeliveryAtLeastOnce,
		},
		Texts: &maintenance.NotificationTexts{Title: "Maintenance", Message: "worker-1"}, Hash: "9f86d081",
		Time: *at(4), Attempts: 1, NextTime: at(90), SentTime: at(5), Receipt: "1762070400.000200", Message: "try again",
	}
}

func fullDecisions() []maintenance.RecordedDecision {
	return []maintenance.RecordedDecision{{
		Decision: maintenance.ProfileApprove, Transition: "go", Sequence: 4, By: "alice", Time: *at(50), ExpirationTime: at(500),
		Reason: "the team agrees", UsedBy: "3c9a5e0e/4.1",
	}}
}

func fullHistory() []maintenance.TransitionHistory {
	return []maintenance.TransitionHistory{{
		ID: "3c9a5e0e/3.1", Name: "begin", From: maintenance.ProfileMaintenanceRequired, Next: maintenance.ProfileInMaintenance,
		Result: maintenance.TransitionAborted, DecidedTime: *at(1), EndedTime: *at(2), By: "bob", ApprovedBy: []string{"alice"}, Reason: "now",
		Decisive: []string{"label"}, Message: "the Job failed",
	}}
}
