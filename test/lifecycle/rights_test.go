// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"slices"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// forbidNodePatches takes from the server the right to change nodes, which stops
// it right before it cordons a node or gives it back. The returned function, or
// the test's end, gives the right again.
func forbidNodePatches(t *testing.T) (allow func()) {
	t.Helper()
	e := env.Current(t)
	allow = func() {
		if err := e.Cluster.ApplyChart(context.Background()); err != nil {
			t.Errorf("could not give the server its rights again: %v", err)
		}
		waitMayPatchNodes(t, e, true)
	}
	roles := e.Kube.RbacV1().ClusterRoles()
	role, err := roles.Get(t.Context(), localcluster.ServerName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range role.Rules {
		if slices.Contains(role.Rules[i].Resources, "nodes") {
			role.Rules[i].Verbs = slices.DeleteFunc(role.Rules[i].Verbs, func(verb string) bool { return verb == "patch" })
		}
	}
	if _, err := roles.Update(t.Context(), role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(allow)
	waitMayPatchNodes(t, e, false)
	return allow
}

// waitMayPatchNodes waits until the cluster's authorizer has heard of a change. It
// works at the end of a test, too, whose context is done by then.
func waitMayPatchNodes(t *testing.T, e *env.Env, want bool) {
	t.Helper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:               "system:serviceaccount:" + localcluster.ServerNamespace + ":" + localcluster.ServerName,
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "patch", Resource: "nodes"},
	}}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), env.Timeout)
	defer cancel()
	for {
		answer, err := e.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if answer.Status.Allowed == want {
			return
		}
	}
}
