// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Policy creates a policy until the test's end, with a name in the pool. It is for all nodes of the pool, and for no
// others, unless it selects some itself.
func (p *Pool) Policy(t *testing.T, suffix string, spec v1beta1.MaintenancePolicySpec) (name string) {
	t.Helper()
	if spec.NodeSelector == nil {
		spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{PoolLabel: p.Name}}
	}
	policies := p.Maintenance.MaintenanceV1beta1().MaintenancePolicies()
	policy := &v1beta1.MaintenancePolicy{ObjectMeta: metav1.ObjectMeta{Name: p.Name + "-" + suffix}, Spec: spec}
	if _, err := policies.Create(t.Context(), policy, metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not create policy %s: %v", policy.Name, err)
	}
	t.Cleanup(func() {
		err := policies.Delete(context.WithoutCancel(t.Context()), policy.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Errorf("could not delete policy %s: %v", policy.Name, err)
		}
	})
	return policy.Name
}

// AtMost is a policy that lets so many nodes go at a time: a number, or a share such as 10%.
func AtMost(limit string) v1beta1.MaintenancePolicySpec {
	return v1beta1.MaintenancePolicySpec{Limits: v1beta1.PolicyLimits{MaxConcurrent: ptr.To(intstr.Parse(limit))}}
}

// Waits are the reasons for which a hold waits for policies.
func Waits(nm *v1beta1.NodeMaintenance) (reasons []v1beta1.AdmissionReason) {
	if nm.Status.Admission == nil {
		return nil
	}
	for _, wait := range nm.Status.Admission.WaitingFor {
		reasons = append(reasons, wait.Reason)
	}
	return reasons
}

// WaitsFor says whether a hold waits for one policy, for that reason.
func WaitsFor(reason v1beta1.AdmissionReason) func(nm *v1beta1.NodeMaintenance) bool {
	return func(nm *v1beta1.NodeMaintenance) bool {
		waits := Waits(nm)
		return len(waits) == 1 && waits[0] == reason
	}
}
