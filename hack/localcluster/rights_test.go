// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Of the requests in an audit log, those count that our server has made, and that a role has allowed.
func TestUsedRights(t *testing.T) {
	const (
		server   = `"user":{"username":"system:serviceaccount:maintenance-system:maintenance-apiserver"},"userAgent":"maintenance-apiserver-2/v1"`
		eviction = `"verb":"create","objectRef":{"resource":"pods","subresource":"eviction","name":"a","namespace":"n"}`
		lease    = `"verb":"get","objectRef":{"apiGroup":"coordination.k8s.io","resource":"leases","name":"a"}`
		byRole   = `"annotations":{"authorization.k8s.io/reason":"RBAC: allowed by RoleBinding \"b/n\" of Role \"r\" to ServiceAccount \"a/n\""}`
		byOther  = `"annotations":{"authorization.k8s.io/reason":"RBAC: allowed by ClusterRoleBinding \"b\" of ClusterRole \"r\" to ServiceAccount \"a/n\""}`
	)
	event := func(parts ...string) string { return "{" + strings.Join(parts, ",") + "}\n" }
	log := event(server, eviction, byOther) + event(server, lease, byRole) + event(server, lease, byRole) +
		event(server, lease, `"annotations":{"authorization.k8s.io/reason":""}`) + // nobody allowed it
		event(strings.Replace(server, "maintenance-apiserver-2/", "guard.test/", 1), `"verb":"delete"`, byRole) +
		event(strings.Replace(server, ":maintenance-apiserver\"", ":other\"", 1), `"verb":"get","requestURI":"/api"`, byRole) +
		event(strings.Replace(server, "maintenance-system", "elsewhere", 1), `"verb":"list","objectRef":{"resource":"pods"}`, byRole)

	c := newTestCluster(t)
	if err := writeFile(c.layout.auditLog(), []byte(log)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv(RightsVariable, dir)
	if err := c.saveRights(); err != nil {
		t.Fatal(err)
	}
	got, err := UsedRights(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := sets.New(
		Right{Role: "ClusterRole r", Verb: "create", Resource: "pods/eviction", Name: "a"},
		Right{Role: "Role r", Verb: "get", Group: "coordination.k8s.io", Resource: "leases", Name: "a"},
	)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}

	t.Setenv(RightsVariable, "")
	if err := os.Remove(c.layout.auditLog()); err != nil {
		t.Fatal(err)
	}
	if err := c.saveRights(); err != nil {
		t.Errorf("nobody asked for permissions: %v", err)
	}
}
