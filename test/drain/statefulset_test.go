// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// A StatefulSet's pod comes back under the same name, elsewhere.
func TestPodRebornElsewhereIsNotEvicted(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		// budgets keep the pod, until somebody else deletes it.
		budgets     bool
		wantEvicted int
	}{
		"evicted by us":       {wantEvicted: 1},
		"deleted by somebody": {budgets: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, 2)
			node := p.Nodes[0]
			workload := p.workload().StatefulSet("db", 1, p.Selector())
			if test.budgets {
				workload.Budget("db", localcluster.MinAvailable("1"))
			}
			p.runOn(t, node, workload)
			old, err := p.pod(t.Context(), "db-0")
			if err != nil {
				t.Fatal(err)
			}
			hold := p.Create(t, p.Hold("a", node))
			if test.budgets {
				p.WaitForHold(t, hold.Name, "drain blocked", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.BlockedPodCount == 1 })
				if err := p.Kube.CoreV1().Pods(p.Name).Delete(t.Context(), old.Name, metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			p.WaitForHold(t, hold.Name, "node drained", succeeded)
			p.waitForReborn(t, old.Name, old.UID, p.Nodes[1])
			p.staysOn(t, p.Nodes[1], "db")
			evictions := p.evictions(t)
			if len(evictions) != test.wantEvicted || (len(evictions) > 0 && evictions[0].uid != old.UID) {
				t.Errorf("evictions %+v, want %d, of the pod that was on the drained node", evictions, test.wantEvicted)
			}
		})
	}
}

// waitForReborn waits until another pod of a name is ready on a node.
func (p *pool) waitForReborn(t *testing.T, name string, old types.UID, node string) {
	t.Helper()
	env.Eventually(t, "pod "+name+" is back", func(ctx context.Context) string {
		pod, err := p.pod(ctx, name)
		if err != nil {
			return err.Error()
		}
		if pod.UID == old || pod.Spec.NodeName != node || !podReady(pod) {
			return "it is not ready on node " + node
		}
		return ""
	})
}
