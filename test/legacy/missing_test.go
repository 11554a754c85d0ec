// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The status of a maintenance whose node is deleted is in the operators' words. When a node of this name
// comes, it is taken out of service. With the medik8s operator, Failed was for good.
func TestNodeDeletedAndBack(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node := u.Nodes[0]
		name := u.apply(t, node)
		u.waitFor(t, name, "node drained", succeeded)
		u.deleteNode(t, node)
		u.waitFor(t, name, "node is missing", func(nm *nodeMaintenance) bool {
			return nm.Status.Phase == u.withoutNode && nm.Status.LastError == `nodes "`+node+`" not found`
		})

		u.addNode(t)
		done := u.waitFor(t, name, "new node drained", succeeded)
		if done.Status.LastError != "" {
			t.Errorf("the error is still there: %s", done.Status.LastError)
		}
		u.waitForMarks(t, node, marks...)
	})
}

// A NodeMaintenance whose node is gone can be deleted.
func TestDeleteWithoutNode(t *testing.T) {
	t.Parallel()
	inEachGroup(t, 1, func(t *testing.T, u *user) {
		node := u.Nodes[0]
		name := u.apply(t, node)
		u.waitFor(t, name, "node drained", succeeded)
		u.deleteNode(t, node)
		u.Kubectl().Must(t, "", "delete", u.resource(), name, "--timeout="+env.Timeout.String())
		u.addNode(t)
		if got := marksOn(u.Node(t, node)); len(got) > 0 {
			t.Errorf("the new node has marks: %q", got)
		}
	})
}

func (u *user) deleteNode(t *testing.T, node string) {
	t.Helper()
	if err := u.Kube.CoreV1().Nodes().Delete(t.Context(), node, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// addNode adds the pool's node again.
func (u *user) addNode(t *testing.T) {
	t.Helper()
	options := localcluster.NodeOptions{
		Count: 1, NamePrefix: u.Name + "-", Labels: map[string]string{env.PoolLabel: u.Name},
	}
	if err := u.Cluster.AddNodes(t.Context(), options); err != nil {
		t.Fatal(err)
	}
}
