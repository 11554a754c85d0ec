// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package smoke tells the main story once, as a user would see it.
package smoke

import (
	"os"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }

func TestDrainAndGiveBack(t *testing.T) {
	pool := env.Current(t).NewPool(t, 2)
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Deployment("web", 6, pool.Selector()).Budget("web", localcluster.MaxUnavailable("1")).
		DaemonSet("agent", pool.Selector()))

	hold := pool.Create(t, pool.Hold("a", pool.Nodes[0]))
	pool.WaitForHold(t, hold.Name, "node drained", env.Drained)
	pods, err := pool.PodsOn(t.Context(), hold.Spec.NodeName)
	if err != nil {
		t.Fatal(err)
	}
	if len(pods) != 1 || pods[0].Labels["app"] != "agent" {
		t.Errorf("%d pods on the drained node, want that of the DaemonSet alone", len(pods))
	}

	pool.Delete(t, hold.Name)
	if node := pool.Node(t, hold.Spec.NodeName); node.Spec.Unschedulable {
		t.Error("the node is cordoned still after its hold was deleted")
	}
}
