// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"fmt"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// WaitForPermission waits until the API server does, or does not, let our server do that.
func (e *Env) WaitForPermission(t *testing.T, to authorizationv1.ResourceAttributes, want bool) {
	t.Helper()
	e.WaitForUserPermission(t, "system:serviceaccount:"+localcluster.ServerNamespace+":"+localcluster.ServerName, to, want)
}

// WaitForUserPermission waits until the API server does, or does not, let a user do that. It is to come before the user's
// first request: refusals are remembered for some seconds.
func (e *Env) WaitForUserPermission(t *testing.T, user string, to authorizationv1.ResourceAttributes, want bool) {
	t.Helper()
	question := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &to}}
	Eventually(t, fmt.Sprintf("permission to %s %s is %t", to.Verb, to.Resource, want), func(ctx context.Context) string {
		answer, err := e.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, question, metav1.CreateOptions{})
		switch {
		case err != nil:
			return err.Error()
		case answer.Status.Allowed != want:
			return fmt.Sprintf("it is %t", answer.Status.Allowed)
		default:
			return ""
		}
	})
}
