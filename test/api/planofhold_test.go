// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The drain of a hold is planned for those who may see the holds of the node.
func TestPlanOfAHold(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 1)
	node, name := pool.Nodes[0], pool.Name+"-a"
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Pod("kept", localcluster.OnNode(node), localcluster.Annotation("example.com/keep", "yes")).Pod("web", localcluster.OnNode(node)))
	spec := `{"nodeName":"` + node + `","stage":"Cordon","drain":{"rules":[{"podAnnotations":{"example.com/keep":""},"action":"Skip"}]}}`
	pool.Kubectl().Must(t, manifest(name, spec), "create", "-f", "-")
	path := nodesPath + "/" + node + "/drainplan?hold=" + name
	planner, viewer := pool.Name+"-planner", pool.Name+"-viewer"
	grantPlanner(t, pool, planner)
	grantUser(t, pool.Env, viewerRole, viewer, "get")

	refused := pool.KubectlAs(t, planner).Try(t, "", "get", "--raw", path)
	wantContains(t, "refusal", refused.Stderr, "Forbidden", `cannot get resource "nodes/maintenance"`)
	var plan v1beta1.DrainPlan
	if err := json.Unmarshal([]byte(pool.KubectlAs(t, viewer).Must(t, "", "get", "--raw", path)), &plan); err != nil {
		t.Fatal(err)
	}
	actions := map[string]v1beta1.PlannedAction{}
	for _, pod := range plan.Status.Pods {
		actions[pod.Pod] = pod.Action
	}
	want := map[string]v1beta1.PlannedAction{pool.Name + "/kept": v1beta1.PlanStay, pool.Name + "/web": v1beta1.PlanEvict}
	if diff := cmp.Diff(want, actions); diff != "" {
		t.Errorf("the plan of the hold (-want +got):\n%s", diff)
	}
}

// grantPlanner lets a user see what drains would do, and nothing else.
func grantPlanner(t *testing.T, pool *env.Pool, name string) {
	t.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{v1beta1.GroupName}, Resources: []string{"nodes/drainplan"}, Verbs: []string{"get"},
	}}}
	if _, err := pool.Kube.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), env.Timeout)
		defer cancel()
		if err := pool.Kube.RbacV1().ClusterRoles().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("could not remove role: %v", err)
		}
	})
	grant(t, pool.Env, name, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name},
		authorizationv1.SubjectAccessReviewSpec{User: name, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Group: v1beta1.GroupName, Resource: "nodes", Subresource: "drainplan", Name: "n", Verb: "get",
		}})
}
