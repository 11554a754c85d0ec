// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// refuse has the API server refuse an operation on a resource in the pool's
// namespace, until allow.
func (p *pool) refuse(t *testing.T, operation admissionregistrationv1.OperationType, resource, message string) {
	t.Helper()
	policies := p.Kube.AdmissionregistrationV1().ValidatingAdmissionPolicies()
	bindings := p.Kube.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: p.Name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: p.Name}},
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
					RuleWithOperations: admissionregistrationv1.RuleWithOperations{
						Operations: []admissionregistrationv1.OperationType{operation},
						Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{resource}},
					},
				}},
			},
			Validations: []admissionregistrationv1.Validation{{Expression: "false", Message: message}},
		},
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: p.Name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        p.Name,
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}
	if _, err := policies.Create(t.Context(), policy, metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not create the policy: %v", err)
	}
	if _, err := bindings.Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatalf("could not create the policy's binding: %v", err)
	}
	t.Cleanup(func() { p.allow(t) })
}

// allow ends what refuse began.
func (p *pool) allow(t *testing.T) {
	t.Helper()
	admission := p.Kube.AdmissionregistrationV1()
	for _, err := range []error{
		admission.ValidatingAdmissionPolicyBindings().Delete(context.Background(), p.Name, metav1.DeleteOptions{}),
		admission.ValidatingAdmissionPolicies().Delete(context.Background(), p.Name, metav1.DeleteOptions{}),
	} {
		if err != nil && !apierrors.IsNotFound(err) {
			t.Errorf("could not remove the policy: %v", err)
		}
	}
}

// waitUntilRefused waits until a policy counts, by dry runs.
func waitUntilRefused(t *testing.T, what string, dryRun func(ctx context.Context) error) {
	t.Helper()
	env.Eventually(t, what+" is refused", func(ctx context.Context) string {
		if err := dryRun(ctx); err == nil {
			return "it is not"
		}
		return ""
	})
}

func TestPolicyThatRefusesEvictions(t *testing.T) {
	t.Parallel()
	obstacle{
		start: func(t *testing.T, p *pool) {
			p.Run(t, p.workload().Pod("pinned", localcluster.OnNode(p.Nodes[0])))
			p.refuse(t, admissionregistrationv1.Create, "pods/eviction", "ask the storage team first")
			waitUntilRefused(t, "eviction", func(ctx context.Context) error { return p.evict(ctx, "pinned", metav1.DryRunAll) })
		},
		pod:    "pinned",
		want:   v1beta1.DrainBlocker{Reason: v1beta1.BlockerEvictionFailed},
		words:  []string{"ask the storage team first", "retried"},
		column: "EvictionFailed (1 pod)",
		lift:   func(t *testing.T, p *pool) { p.allow(t) },
	}.check(t)
}
