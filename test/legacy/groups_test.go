// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// group is one of the API groups in which the operators had their NodeMaintenances.
type group struct {
	schema.GroupVersion
	// further are the fields of its status that not every group has.
	further []string
	// withoutNode is its phase when the node does not exist, withoutLease when the lease was lost for good.
	withoutNode, withoutLease string
}

var groups = []group{
	{
		GroupVersion: schema.GroupVersion{Group: "nodemaintenance.medik8s.io", Version: "v1beta1"},
		further:      []string{"drainProgress", "lastUpdate", "pendingPodsRefs", "errorOnLeaseCount"}, withoutNode: "Failed", withoutLease: "Failed",
	},
	{
		GroupVersion: schema.GroupVersion{Group: "nodemaintenance.kubevirt.io", Version: "v1beta1"},
		further:      []string{"errorOnLeaseCount"}, withoutNode: "Running", withoutLease: "Failed",
	},
	{
		GroupVersion: schema.GroupVersion{Group: "kubevirt.io", Version: "v1alpha1"},
		withoutNode:  "Running", withoutLease: "Running",
	},
}

// has says whether the group's status has a field that not every group has.
func (g group) has(field string) bool { return slices.Contains(g.further, field) }

// resource is how kubectl is told which NodeMaintenances are meant.
func (g group) resource() string { return "nodemaintenances." + g.Version + "." + g.Group }

// object is how kubectl prints the name of a NodeMaintenance.
func (g group) object(name string) string { return "nodemaintenance." + g.Group + "/" + name }

// manifest is a NodeMaintenance as the samples of the operators are.
func (g group) manifest(name, node, reason string) string {
	return fmt.Sprintf(`apiVersion: %s
kind: NodeMaintenance
metadata:
  name: %s
spec:
  nodeName: %s
  reason: %q
`, g.GroupVersion, name, node, reason)
}

// user is somebody who knows NodeMaintenances of one old group only, with nodes of their own.
type user struct {
	*env.Pool
	group
	*client
}

// inEachGroup runs a test as a user of each old group, side by side.
func inEachGroup(t *testing.T, nodes int, test func(t *testing.T, u *user)) {
	t.Helper()
	for _, g := range groups {
		t.Run(g.Group, func(t *testing.T) {
			t.Parallel()
			pool := env.Current(t).NewPool(t, nodes)
			test(t, &user{Pool: pool, group: g, client: newClient(t, g, pool.Cluster.Config())})
		})
	}
}

// name is the name of the user's NodeMaintenance for a node.
func (u *user) name(node string) string { return "nodemaintenance-" + node }

// apply starts maintenance of a node as people do.
func (u *user) apply(t *testing.T, node string) (name string) {
	t.Helper()
	u.Kubectl().Must(t, u.manifest(u.name(node), node, "Test node maintenance"), "apply", "-f", "-")
	t.Cleanup(func() { u.forget(t, u.name(node)) })
	return u.name(node)
}
