// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"fmt"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The role that the operator shipped gives the requests, but no nodes; the error says what is missing.
func TestOperatorsRole(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 2, func(t *testing.T, u *user) {
		node := u.Nodes[0]
		person := "old-" + u.Name
		u.grant(t, person, u.operatorsRole(t))
		kubectl := u.KubectlAs(t, person)
		held := u.apply(t, u.Nodes[1])
		if got := kubectl.Must(t, "", "get", u.resource(), held, "-o", "name"); got != u.object(held)+"\n" {
			t.Errorf("got %q, want the NodeMaintenance", got)
		}
		lacks := fmt.Sprintf(`User %q cannot %%s resource "nodes/maintenance" in API group "maintenance.medik8s.io" named %%q`, person)
		wantRefused := func(want, stdin string, args ...string) {
			t.Helper()
			if got := kubectl.Try(t, stdin, args...); got.Code != 1 || !strings.Contains(got.Stderr, want) {
				t.Errorf("%v: exit code %d, %q; want %q", args, got.Code, got.Stderr, want)
			}
		}
		wantRefused(fmt.Sprintf(lacks, "create", node), u.manifest("mine-"+node, node, "test"), "create", "-f", "-")
		wantRefused(fmt.Sprintf(lacks, "update", u.Nodes[1]), "", "patch", u.resource(), held, "--type=merge", "-p", `{"spec":{"reason":"mine"}}`)
		wantRefused(fmt.Sprintf(lacks, "delete", u.Nodes[1]), "", "delete", u.resource(), held)
	})
}

// The role that comes with the old groups keeps old users working, with what others have created too.
func TestLegacyEditor(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 2, func(t *testing.T, u *user) {
		node := u.Nodes[0]
		person := "editor-" + u.Name
		u.grant(t, person, u.role("editor"))
		kubectl := u.KubectlAs(t, person)
		name, manifest := u.name(node), u.manifest(u.name(node), node, "test")
		kubectl.Must(t, manifest, "apply", "-f", "-")
		kubectl.Must(t, "", "wait", u.resource(), name, "--for=jsonpath={.status.phase}=Succeeded", "--timeout="+env.Timeout.String())
		kubectl.Must(t, "", "delete", u.resource(), name)

		anothers := u.apply(t, u.Nodes[1])
		kubectl.Must(t, "", "patch", u.resource(), anothers, "--type=merge", "-p", `{"spec":{"reason":"mine now"}}`)
		readsOurGroup(t, kubectl, anothers, u.Nodes[1])
		kubectl.Must(t, "", "delete", u.resource(), anothers)
	})
}

// role is the one for users of the group: of editors, or of viewers.
func (u *user) role(of string) string {
	if u.Group == "nodemaintenance.medik8s.io" {
		return "maintenance.medik8s.io:legacy-" + of
	}
	return "maintenance.medik8s.io:legacy-kubevirt-" + of
}

// readsOurGroup checks that the user sees what only our own group says.
func readsOurGroup(t *testing.T, kubectl *env.Kubectl, hold, node string) {
	t.Helper()
	kubectl.Must(t, "", "wait", "nodemaintenances.maintenance.medik8s.io", hold, "--for=condition=Drained", "--timeout="+env.Timeout.String())
	kubectl.Must(t, "", "get", "nodes.maintenance.medik8s.io")
	for _, subresource := range []string{"maintenance", "drainplan"} {
		kubectl.Must(t, "", "get", "nodes.maintenance.medik8s.io", node, "--subresource="+subresource)
	}
}

// Users who may view the cluster see NodeMaintenances, and change none.
func TestLegacyViewer(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		person := "viewer-" + u.Name
		u.grant(t, person, "view")
		kubectl := u.KubectlAs(t, person)
		name := u.apply(t, u.Nodes[0])
		kubectl.Must(t, "", "get", u.resource(), name)
		if got := kubectl.Try(t, "", "delete", u.resource(), name); got.Code == 0 {
			t.Error("a viewer has deleted it")
		}
		bound := person + "-of-the-group"
		u.grant(t, bound, u.role("viewer"))
		readsOurGroup(t, u.KubectlAs(t, bound), name, u.Nodes[0])
	})
}

// operatorsRole is a role with the rules of the operator's own editor role.
func (u *user) operatorsRole(t *testing.T) string {
	t.Helper()
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "nodemaintenance-editor-role-" + u.Name},
		Rules: []rbacv1.PolicyRule{
			{
				APIGroups: []string{u.Group}, Resources: []string{"nodemaintenances"},
				Verbs: []string{"create", "delete", "get", "list", "patch", "update", "watch"},
			},
			{APIGroups: []string{u.Group}, Resources: []string{"nodemaintenances/status"}, Verbs: []string{"get"}},
		},
	}
	if _, err := u.Kube.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return role.Name
}

func (u *user) grant(t *testing.T, person, role string) {
	t.Helper()
	bind(t, u.Env, person, role, u.Group, "nodemaintenances")
}

// bind gives a person a ClusterRole, and waits until it lets them get a resource.
func bind(t *testing.T, e *env.Env, person, role, group, resource string) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: person},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: person}},
	}
	if _, err := e.Kube.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	e.WaitForUserPermission(t, person, authorizationv1.ResourceAttributes{Group: group, Resource: resource, Verb: "get"}, true)
}
