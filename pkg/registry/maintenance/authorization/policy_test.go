// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// A policy that says what is done at events can have machines deleted, so its author needs the permission for events.
func TestPolicyThatSpeaksOfEvents(t *testing.T) {
	policy := func(change ...func(*v1beta1.MaintenancePolicySpec)) *v1beta1.MaintenancePolicy {
		p := &v1beta1.MaintenancePolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
		p.Spec.NodeSelector = &metav1.LabelSelector{}
		for _, c := range change {
			c(&p.Spec)
		}
		return p
	}
	replaces := func(s *v1beta1.MaintenancePolicySpec) {
		s.Events = &v1beta1.PolicyEvents{Actions: []v1beta1.PolicyEventAction{{Code: "system-reboot", Action: v1beta1.EventActionReplace}}}
	}
	elsewhere := func(s *v1beta1.MaintenancePolicySpec) {
		s.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
	}
	paused := func(s *v1beta1.MaintenancePolicySpec) { s.Paused = true }
	tests := map[string]struct {
		policy, old *v1beta1.MaintenancePolicy
		wantNeed    bool
	}{
		"created without":          {policy: policy()},
		"created with":             {policy: policy(replaces), wantNeed: true},
		"set":                      {policy: policy(replaces), old: policy(), wantNeed: true},
		"unset":                    {policy: policy(), old: policy(replaces), wantNeed: true},
		"deleted":                  {old: policy(replaces), wantNeed: true},
		"deleted without":          {old: policy()},
		"for other nodes":          {policy: policy(replaces, elsewhere), old: policy(replaces), wantNeed: true},
		"without, for other nodes": {policy: policy(elsewhere), old: policy()},
		"another field":            {policy: policy(replaces, paused), old: policy(replaces)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			operation := admission.Update
			switch {
			case test.old == nil:
				operation = admission.Create
			case test.policy == nil:
				operation = admission.Delete
			}
			want := []string(nil)
			if test.wantNeed {
				want = []string{scheduleNodes}
			}
			q := &questions{}
			if err := New(q, "").Validate(t.Context(), policyWrite(operation, test.policy, test.old), nil); err != nil || !slices.Equal(q.asked, want) {
				t.Errorf("got %v, asked %q, want %q", err, q.asked, want)
			}
			refusing := New(&questions{refuse: want}, "")
			if err := refusing.Validate(t.Context(), policyWrite(operation, test.policy, test.old), nil); apierrors.IsForbidden(err) != test.wantNeed {
				t.Errorf("without the permission: got %v, want a refusal: %t", err, test.wantNeed)
			}
		})
	}
}

func policyWrite(operation admission.Operation, policy, old *v1beta1.MaintenancePolicy) admission.Attributes {
	resource := v1beta1.SchemeGroupVersion.WithResource(policies)
	by := &user.DefaultInfo{Name: "alice"}
	switch {
	case policy == nil:
		return admission.NewAttributesRecord(nil, old, v1beta1.SchemeGroupVersion.WithKind("MaintenancePolicy"), "", old.Name, resource, "", operation, nil, false, by)
	case old == nil:
		return admission.NewAttributesRecord(policy, nil, v1beta1.SchemeGroupVersion.WithKind("MaintenancePolicy"), "", policy.Name, resource, "", operation, nil, false, by)
	}
	return admission.NewAttributesRecord(policy, old, v1beta1.SchemeGroupVersion.WithKind("MaintenancePolicy"), "", policy.Name, resource, "", operation, nil, false, by)
}
