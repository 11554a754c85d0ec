// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func matching(group, version, resource string, operations ...admissionregistrationv1.OperationType) *admissionregistrationv1.MatchResources {
	return &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
		RuleWithOperations: admissionregistrationv1.RuleWithOperations{
			Operations: operations,
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{version}, Resources: []string{resource}},
		},
	}}}
}

// enforce creates a policy and binds it, until the returned function is called
// or the test ends.
func enforce(t *testing.T, p *env.Pool, policy *admissionregistrationv1.ValidatingAdmissionPolicy) (end func()) {
	t.Helper()
	client := p.Kube.AdmissionregistrationV1()
	if _, err := client.ValidatingAdmissionPolicies().Create(t.Context(), policy, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: policy.Name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: policy.Name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}
	end = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), env.Timeout)
		defer cancel()
		for _, err := range []error{
			client.ValidatingAdmissionPolicyBindings().Delete(ctx, policy.Name, metav1.DeleteOptions{}),
			client.ValidatingAdmissionPolicies().Delete(ctx, policy.Name, metav1.DeleteOptions{}),
		} {
			if err != nil && !apierrors.IsNotFound(err) {
				t.Errorf("could not remove the policy: %v", err)
			}
		}
	})
	t.Cleanup(end)
	if _, err := client.ValidatingAdmissionPolicyBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return end
}

// The cluster's own policies hold for our objects. Nobody but our server can
// enforce them, since the aggregator only passes requests on.
func TestAdmissionPolicyIsEnforced(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: pool.Name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: matching("maintenance.medik8s.io", "v1beta1", "nodemaintenances",
				admissionregistrationv1.Create, admissionregistrationv1.Update, admissionregistrationv1.Delete),
			MatchConditions: []admissionregistrationv1.MatchCondition{{
				Name: "ours", Expression: `(request.operation == "DELETE" ? oldObject : object).spec.nodeName == "` + absentNode(pool) + `"`,
			}},
			Validations: []admissionregistrationv1.Validation{
				{
					Expression:        `request.operation == "DELETE" || (has(object.spec.reason) && object.spec.reason.startsWith("ticket "))`,
					MessageExpression: `"say which ticket, " + request.userInfo.username`,
				},
				{Expression: `request.operation != "DELETE" || !has(oldObject.metadata.labels)`, Message: "labelled ones stay"},
			},
		},
	}
	end := enforce(t, pool, policy)
	post := func(name, reason string) answer {
		return admin(t).do(t, http.MethodPost, collection, asJSON, manifest(pool.Name+"-"+name, `{"nodeName":"`+absentNode(pool)+`","reason":"`+reason+`"}`))
	}
	tried := 0
	var refused answer
	env.Eventually(t, "a create that breaks the policy is refused", func(context.Context) string {
		tried++
		if refused = post(fmt.Sprint("try-", tried), "none"); refused.code == http.StatusCreated {
			return "created"
		}
		return ""
	})
	wantContains(t, "refusal", refused.want(t, http.StatusUnprocessableEntity).status(t).Message,
		"ValidatingAdmissionPolicy '"+pool.Name+"' with binding '"+pool.Name+"' denied request: say which ticket, admin")
	wantNotStored(t, pool, fmt.Sprint(pool.Name, "-try-", tried))

	post("good", "ticket 5").want(t, http.StatusCreated)
	path := collection + "/" + pool.Name + "-good"
	admin(t).do(t, http.MethodPatch, path, asMergePatch, `{"spec":{"reason":"none"}}`).want(t, http.StatusUnprocessableEntity)
	admin(t).do(t, http.MethodPatch, path, asMergePatch, `{"spec":{"reason":"ticket 6"},"metadata":{"labels":{"a":"b"}}}`).want(t, http.StatusOK)
	out := pool.Kubectl().Try(t, "", "delete", "nm", pool.Name+"-good")
	if out.Code == 0 || !strings.Contains(out.Stderr, "labelled ones stay") {
		t.Errorf("kubectl delete against the policy: %+v", out)
	}
	end()
	env.Eventually(t, "the delete is possible without the policy", func(context.Context) string {
		if got := admin(t).do(t, http.MethodDelete, path, "", ""); got.code != http.StatusOK {
			return string(got.body)
		}
		return ""
	})
}

// A policy that refuses the end of a hold keeps neither the node nor the reason
// to itself.
func TestPolicyAgainstTheEndOfAHold(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	end := enforce(t, pool, &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: pool.Name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: matching("maintenance.medik8s.io", "v1beta1", "nodemaintenances", admissionregistrationv1.Update),
			MatchConditions:  []admissionregistrationv1.MatchCondition{{Name: "ours", Expression: `object.metadata.name == "` + hold.Name + `"`}},
			Validations:      []admissionregistrationv1.Validation{{Expression: "false", Message: "nothing changes any more"}},
		},
	})
	env.Eventually(t, "updates are refused", func(context.Context) string {
		got := admin(t).do(t, http.MethodPatch, collection+"/"+hold.Name+"?dryRun=All", asMergePatch, `{"spec":{"reason":"x"}}`)
		if got.code == http.StatusOK {
			return "taken"
		}
		return ""
	})
	pool.Kubectl().Must(t, "", "delete", "nm", hold.Name, "--wait=false")
	pool.WaitForHold(t, hold.Name, "the policy in the status", func(nm *v1beta1.NodeMaintenance) bool {
		return strings.Contains(nm.Status.LastError, "nothing changes any more")
	})
	if pool.Node(t, pool.Nodes[0]).Spec.Unschedulable {
		t.Error("the node was not given back")
	}
	wantEvents(t, "events of the hold", pool.Kubectl(), []string{"describe", "nm", hold.Name}, "ReleaseFailed", "nothing changes any more")
	end()
	pool.Kubectl().Must(t, "", "wait", "--for=delete", "nm/"+hold.Name, "--timeout=120s")
}
