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
		Queue: PolicyQueueSpec{MarkWaiting: ptr.To(false), AgingSeconds: ptr.To[int64](0)},
	}
	queue := PolicyQueueSpec{MarkWaiting: ptr.To(true), AgingSeconds: ptr.To[int64](3600)}
	tests := map[string]struct{ spec, want MaintenancePolicySpec }{
		"nothing":    {want: MaintenancePolicySpec{Queue: queue}},
		"everything": {spec: set, want: set},
		"parts": {
			spec: MaintenancePolicySpec{
				AutoStop: &PolicyAutoStop{}, Schedule: &PolicySchedule{}, Approvals: &PolicyApprovals{},
				Gates: &PolicyGates{Start: gate(""), Release: gate("")},
			},
			want: MaintenancePolicySpec{
				AutoStop: &PolicyAutoStop{WindowSeconds: ptr.To[int64](86400)}, Schedule: &PolicySchedule{TimeZone: "UTC"},
				Approvals: &PolicyApprovals{ValidSeconds: ptr.To[int64](86400)},
				Gates:     &PolicyGates{Start: gate(""), Release: gate(""), ReleaseTimeoutSeconds: ptr.To[int64](1800)}, Queue: queue,
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
