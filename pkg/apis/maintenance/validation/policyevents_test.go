// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestEventsOfPolicies(t *testing.T) {
	drain := func(code string) v1beta1.PolicyEventAction {
		return v1beta1.PolicyEventAction{Code: code, Action: v1beta1.EventActionDrain}
	}
	var many []v1beta1.PolicyEventAction
	for i := range 33 {
		many = append(many, drain(fmt.Sprintf("code-%d", i)))
	}
	for name, test := range map[string]struct {
		events *v1beta1.PolicyEvents
		want   []string
	}{
		"none": {},
		"as many as there may be": {events: &v1beta1.PolicyEvents{
			Actions: many[:32], AtLatestStart: v1beta1.LatestStartWait,
			Replacement: &v1beta1.PolicyReplacement{Strategy: v1beta1.DeleteFirst, TimeoutSeconds: ptr.To[int64](86400)},
		}},
		"the usual strategy": {events: &v1beta1.PolicyEvents{
			AtLatestStart: v1beta1.LatestStartStart, Replacement: &v1beta1.PolicyReplacement{TimeoutSeconds: ptr.To[int64](60)},
		}},
		"too many": {
			events: &v1beta1.PolicyEvents{Actions: many, AtLatestStart: v1beta1.LatestStartStart},
			want:   []string{"spec.events.actions: Too many: 33: must have at most 32 items"},
		},
		"codes": {
			events: &v1beta1.PolicyEvents{
				Actions: []v1beta1.PolicyEventAction{drain("a"), drain("a"), drain(""), {Code: "b"}}, AtLatestStart: v1beta1.LatestStartStart,
			},
			want: []string{
				`spec.events.actions[1].code: Duplicate value: "a"`,
				"spec.events.actions[2].code: Required value: must be what happens to the machine, such as system-reboot",
				`spec.events.actions[3].action: Unsupported value: "": supported values: "Drain", "Replace", "Ignore"`,
			},
		},
		"how, and for how long": {
			events: &v1beta1.PolicyEvents{
				AtLatestStart: "Panic", Replacement: &v1beta1.PolicyReplacement{Strategy: "Both", TimeoutSeconds: ptr.To[int64](59)},
			},
			want: []string{
				`spec.events.atLatestStart: Unsupported value: "Panic": supported values: "Start", "Wait"`,
				`spec.events.replacement.strategy: Unsupported value: "Both": supported values: "SurgeFirst", "DeleteFirst"`,
				"spec.events.replacement.timeoutSeconds: Invalid value: 59: must be between 60 and 86400, inclusive",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			policy := fullPolicy()
			policy.Spec.Events = test.events
			wantErrors(t, ValidateMaintenancePolicy(policy), test.want...)
			wantErrors(t, ValidateMaintenancePolicyUpdate(policy, fullPolicy()), test.want...)
		})
	}
}
