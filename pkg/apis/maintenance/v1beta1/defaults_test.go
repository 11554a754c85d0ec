// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Parts that are left out stay so: each asks for something. What is set keeps its values.
func TestPolicyDefaults(t *testing.T) {
	gate := func(status metav1.ConditionStatus) []PolicyGate {
		return []PolicyGate{{NodeCondition: &NodeConditionGate{Type: "Ready", Status: status}}}
	}
	set := MaintenancePolicySpec{
		AutoStop: &PolicyAutoStop{WindowSeconds: ptr.To[int64](60)}, Schedule: &PolicySchedule{TimeZone: "Europe/Berlin"},
		Approvals: &PolicyApprovals{ValidSeconds: ptr.To[int64](60)}, Gates: &PolicyGates{Start: gate("False"), ReleaseTimeoutSeconds: ptr.To[int64](60)},
		Queue:  PolicyQueueSpec{MarkWaiting: ptr.To(false), AgingSeconds: ptr.To[int64](0)},
		Events: &PolicyEvents{AtLatestStart: LatestStartWait, Replacement: &PolicyReplacement{Strategy: DeleteFirst, TimeoutSeconds: ptr.To[int64](60)}},
	}
	queue := PolicyQueueSpec{MarkWaiting: ptr.To(true), AgingSeconds: ptr.To[int64](3600)}
	tests := map[string]struct{ spec, want MaintenancePolicySpec }{
		"nothing":    {want: MaintenancePolicySpec{Queue: queue}},
		"everything": {spec: set, want: set},
		"parts": {
			spec: MaintenancePolicySpec{
				AutoStop: &PolicyAutoStop{}, Schedule: &PolicySchedule{}, Approvals: &PolicyApprovals{},
				Gates: &PolicyGates{Start: gate(""), Release: gate("")}, Events: &PolicyEvents{Replacement: &PolicyReplacement{}},
			},
			want: MaintenancePolicySpec{
				AutoStop: &PolicyAutoStop{WindowSeconds: ptr.To[int64](86400)}, Schedule: &PolicySchedule{TimeZone: "UTC"},
				Approvals: &PolicyApprovals{ValidSeconds: ptr.To[int64](86400)},
				Gates:     &PolicyGates{Start: gate(""), Release: gate(""), ReleaseTimeoutSeconds: ptr.To[int64](1800)}, Queue: queue,
				Events: &PolicyEvents{AtLatestStart: LatestStartStart, Replacement: &PolicyReplacement{TimeoutSeconds: ptr.To[int64](1800)}},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			policy := &MaintenancePolicy{Spec: *test.spec.DeepCopy()}
			SetObjectDefaults_MaintenancePolicy(policy)
			if diff := cmp.Diff(test.want, policy.Spec); diff != "" {
				t.Errorf("spec differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEventDefaults(t *testing.T) {
	set := ScheduledEventSpec{Source: "tickets", State: EventCompleted}
	for name, test := range map[string]struct{ spec, want ScheduledEventSpec }{
		"nothing":    {want: ScheduledEventSpec{Source: "manual", State: EventScheduled}},
		"everything": {spec: set, want: set},
	} {
		t.Run(name, func(t *testing.T) {
			event := &ScheduledEvent{Spec: test.spec}
			SetObjectDefaults_ScheduledEvent(event)
			if diff := cmp.Diff(test.want, event.Spec); diff != "" {
				t.Errorf("spec differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInstanceID(t *testing.T) {
	for providerID, want := range map[string]string{
		"aws:///eu-west-1a/i-0abcd1234": "i-0abcd1234", "kind://docker/kind/worker": "worker", "i-1": "i-1", "": "", "aws:///": "",
	} {
		if got := InstanceID(providerID); got != want {
			t.Errorf("the id of %q is %q, want %q", providerID, got, want)
		}
	}
}

func TestUsualAction(t *testing.T) {
	for code, want := range map[string]EventAction{
		CodeSystemReboot: EventActionDrain, CodeInstanceStop: EventActionReplace, "volume-magic": EventActionIgnore, "": EventActionIgnore,
	} {
		if got := UsualAction(code); got != want {
			t.Errorf("for the code %q %s is done, want %s", code, got, want)
		}
	}
	for _, code := range KnownCodes() {
		if UsualAction(code) == EventActionIgnore {
			t.Errorf("nothing is done for the known code %s", code)
		}
	}
}
