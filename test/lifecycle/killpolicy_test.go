// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestKillUnderAPolicy kills the server at each step of a maintenance that a policy admits: after the ledger
// was written, after the cordon, after the give-back, and as soon as the next was let go. Never are more nodes
// cordoned than may be, and none is forgotten.
func TestKillUnderAPolicy(t *testing.T) {
	pool := env.Current(t).NewPool(t, 3)
	pool.WantMostCordoned(t, 1)
	pool.Policy(t, "one", env.AtMost("1"))
	allow := forbidNodePatches(t)
	keepServer(t)
	var holds []string
	for i, node := range pool.Nodes {
		hold := pool.Hold([]string{"a", "b", "c"}[i], node)
		hold.Spec.Stage = v1beta1.StageCordon
		holds = append(holds, pool.Create(t, hold).Name)
	}
	pool.WaitForHold(t, holds[0], "it is admitted, and the cordon fails", func(nm *v1beta1.NodeMaintenance) bool {
		cordoned := apimeta.FindStatusCondition(nm.Status.Conditions, v1beta1.ConditionCordoned)
		return cordoned != nil && cordoned.Reason == v1beta1.ReasonCordonFailed
	})
	kill(t)
	allow()
	start(t)
	for i, hold := range holds {
		pool.WaitForHold(t, hold, "it has its turn", cordons)
		kill(t)
		start(t)
		deleteAtOnce(t, pool, hold)
		pool.WaitUntilCleanNode(t, pool.Nodes[i])
		kill(t)
		start(t)
		if i+1 < len(holds) {
			waitRecorded(t, pool.Nodes[i+1])
			kill(t)
			start(t)
		}
	}
	waitRecorded(t)
	wantClean(t, pool)
}

func cordons(nm *v1beta1.NodeMaintenance) bool { return nm.Status.Phase == v1beta1.PhaseSucceeded }

// deleteAtOnce deletes a hold, and does not wait until it is gone.
func deleteAtOnce(t *testing.T, pool *env.Pool, hold string) {
	t.Helper()
	if err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Delete(t.Context(), hold, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// waitRecorded waits until the ledger has these nodes, and no others.
func waitRecorded(t *testing.T, want ...string) {
	t.Helper()
	ledgers := env.Current(t).Maintenance.MaintenanceV1beta1().MaintenanceLedgers()
	env.Eventually(t, "the ledger has the node that is next", func(ctx context.Context) string {
		list, err := ledgers.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		var nodes []string
		for i := range list.Items {
			for _, entry := range list.Items[i].Spec.Entries {
				nodes = append(nodes, entry.Node)
			}
		}
		return cmp.Diff(want, nodes, cmpopts.EquateEmpty())
	})
}
