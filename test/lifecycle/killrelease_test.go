// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// TestKillWhileAReleaseGateHolds kills the server while a release gate keeps a node. The gate keeps it after the next
// start, too, and lets it go once it passes.
func TestKillWhileAReleaseGateHolds(t *testing.T) {
	const healthy = "StorageHealthy"
	pool := env.Current(t).NewPool(t, 1)
	spec := env.AtMost("1")
	spec.Gates = &v1beta1.PolicyGates{Release: []v1beta1.PolicyGate{{NodeCondition: &v1beta1.NodeConditionGate{Type: healthy}}}}
	pool.Policy(t, "gated", spec)
	keepServer(t)
	hold := pool.Hold("a", pool.Nodes[0])
	hold.Spec.Stage = v1beta1.StageCordon
	name := pool.Create(t, hold).Name
	pool.WaitForHold(t, name, "it has its turn", cordons)
	deleteAtOnce(t, pool, name)
	pool.WaitForHold(t, name, "the gate keeps the node", func(nm *v1beta1.NodeMaintenance) bool {
		return apimeta.IsStatusConditionFalse(nm.Status.Conditions, v1beta1.ConditionReleased)
	})
	before := epoch(t)
	kill(t)
	start(t)
	env.Eventually(t, "the ledger is kept again", func(context.Context) string {
		if now := epoch(t); now <= before {
			return fmt.Sprintf("its epoch is %d, and was %d", now, before)
		}
		return ""
	})
	if !pool.Node(t, pool.Nodes[0]).Spec.Unschedulable {
		t.Error("the node was given back before its gate passed")
	}
	waitRecorded(t, pool.Nodes[0])
	passes := []byte(`{"status":{"conditions":[{"type":"` + healthy + `","status":"True"}]}}`)
	if _, err := pool.Kube.CoreV1().Nodes().Patch(t.Context(), pool.Nodes[0], types.StrategicMergePatchType, passes,
		metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
	pool.WaitUntilCleanNode(t, pool.Nodes[0])
	waitRecorded(t)
}

// epoch is how often a process has begun to keep the ledger.
func epoch(t *testing.T) int64 {
	t.Helper()
	ledger, err := env.Current(t).Maintenance.MaintenanceV1beta1().MaintenanceLedgers().Get(t.Context(), v1beta1.LedgerName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return ledger.Spec.Epoch
}
