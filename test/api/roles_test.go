// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	editorRole = "maintenance.medik8s.io:editor"
	viewerRole = "maintenance.medik8s.io:viewer"
)

// grant binds a ClusterRole to a user until the test ends, and waits until it
// counts. It is to come before the user's first request: refusals are remembered
// for some seconds.
func grant(t *testing.T, e *env.Env, role string, subject rbacv1.Subject, probe authorizationv1.SubjectAccessReviewSpec) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{subject},
	}
	bindings := e.Kube.RbacV1().ClusterRoleBindings()
	binding, err := bindings.Create(t.Context(), binding, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), env.Timeout)
		defer cancel()
		if err := bindings.Delete(ctx, binding.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("could not remove binding: %v", err)
		}
	})
	env.Eventually(t, "grant of "+role, func(ctx context.Context) string {
		review, err := e.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx,
			&authorizationv1.SubjectAccessReview{Spec: probe}, metav1.CreateOptions{})
		if err != nil {
			return err.Error()
		}
		if !review.Status.Allowed {
			return "not allowed yet"
		}
		return ""
	})
}

func grantUser(t *testing.T, e *env.Env, role, name, verb string) {
	t.Helper()
	grant(t, e, role, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name},
		authorizationv1.SubjectAccessReviewSpec{User: name, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Group: "maintenance.medik8s.io", Resource: "nodemaintenances", Verb: verb,
		}})
}

// What each role may do, through kubectl. The hold exists already.
func TestRoles(t *testing.T) {
	t.Parallel()
	reads := []string{"get nm", "get nm NAME", "describe nm NAME"}
	watches := []string{"get nm NAME --watch --request-timeout=1s"}
	writes := []string{"create -f -", "apply --server-side -f -", "patch nm NAME --type=merge -p {\"spec\":{\"reason\":\"x\"}}", "label nm NAME a=b", "delete nm NAME"}
	statusWrite := []string{"patch nm NAME --subresource=status --type=merge -p {\"status\":{\"lastError\":\"x\"}}"}
	tests := map[string]struct {
		role                string
		allowed, notAllowed [][]string
	}{
		"nothing":                 {"", nil, [][]string{reads, writes, statusWrite}},
		"view":                    {"view", [][]string{reads, watches}, [][]string{writes, statusWrite}},
		"edit":                    {"edit", [][]string{reads, watches}, [][]string{writes, statusWrite}},
		"admin of namespaces":     {"admin", [][]string{reads}, [][]string{writes, statusWrite}},
		"our viewer":              {viewerRole, [][]string{reads, watches}, [][]string{writes, statusWrite}},
		"our editor":              {editorRole, [][]string{reads, watches, writes}, [][]string{statusWrite}},
		"cluster-admin":           {"cluster-admin", [][]string{reads, statusWrite, writes}, nil},
		"system:masters, no RBAC": {"masters", [][]string{reads, statusWrite, writes}, nil},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			pool := env.Current(t).NewPool(t, 0)
			hold := createQuiet(t, pool, "a")
			name := "user-of-" + pool.Name
			var groups []string
			switch test.role {
			case "":
			case "masters":
				groups = []string{"system:masters"}
			default:
				grantUser(t, pool.Env, test.role, name, "get")
			}
			kubectl := pool.KubectlAs(t, name, groups...)
			for i, commands := range append(test.notAllowed, test.allowed...) {
				for j, command := range commands {
					allowed := i >= len(test.notAllowed)
					out := try(t, kubectl, pool, hold.Name, command, fmt.Sprintf("%s-%d-%d", pool.Name, i, j))
					if forbidden := strings.Contains(out.Stderr, "(Forbidden)"); forbidden == allowed || (allowed && out.Code != 0 && !strings.Contains(command, "--watch")) {
						t.Errorf("kubectl %s: exit code %d, want allowed=%v\n%s", command, out.Code, allowed, out.Stderr)
					}
				}
			}
		})
	}
}

func try(t *testing.T, kubectl *env.Kubectl, p *env.Pool, hold, command, created string) env.Output {
	t.Helper()
	return kubectl.Try(t, manifest(created, `{"nodeName":"`+absentNode(p)+`"}`), strings.Fields(strings.ReplaceAll(command, "NAME", hold))...)
}

func TestCanI(t *testing.T) {
	t.Parallel()
	e := env.Current(t)
	pool := e.NewPool(t, 0)
	editor, viewer, nobody := "editor-of-"+pool.Name, "viewer-of-"+pool.Name, "nobody-of-"+pool.Name
	grantUser(t, e, editorRole, editor, "create")
	grantUser(t, e, "view", viewer, "list")
	for _, test := range []struct {
		user, verb string
		want       string
	}{
		{"", "create", "yes"},
		{editor, "create", "yes"},
		{editor, "deletecollection", "yes"},
		{viewer, "watch", "yes"},
		{viewer, "create", "no"},
		{nobody, "get", "no"},
	} {
		args := []string{"auth", "can-i", test.verb, "nm"}
		if test.user != "" {
			args = append(args, "--as="+test.user)
		}
		answer := e.Kubectl().Try(t, "", args...)
		if got := strings.TrimSpace(answer.Stdout); got != test.want {
			t.Errorf("kubectl %s: got %q, %s, want %q", strings.Join(args, " "), got, answer.Stderr, test.want)
		}
	}
}

// An ordinary user's refusal names the user and what was asked.
func TestRefusalNamesTheUser(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	name := "ordinary-of-" + pool.Name
	for where, caller := range map[string]caller{
		"through the aggregator": user(t, name),
		"directly":               newCaller(t, direct(t, userConfig(t, name))),
	} {
		got := caller.do(t, http.MethodPost, collection, asJSON, manifest(pool.Name+"-a", `{"nodeName":"a"}`)).want(t, http.StatusForbidden)
		wantContains(t, where, got.status(t).Message, `User "`+name+`" cannot create resource "nodemaintenances" in API group "maintenance.medik8s.io" at the cluster scope`)
	}
	wantNotStored(t, pool, pool.Name+"-a")
}
