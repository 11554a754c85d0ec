// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// storeID reads the id of the server's store from a node that it holds.
func (p *pool) storeID(t *testing.T, node string) string {
	t.Helper()
	var note struct {
		StoreID string `json:"storeID"`
	}
	if err := json.Unmarshal([]byte(p.Node(t, node).Annotations[v1beta1.HoldsAnnotation]), &note); err != nil || note.StoreID == "" {
		t.Fatalf("the annotation on node %s names no store: %v", node, err)
	}
	return note.StoreID
}

// mark makes a node look as if a server with that store had cordoned it.
func (p *pool) mark(t *testing.T, node, storeID string) {
	t.Helper()
	note := fmt.Sprintf(`{"storeID":%q,"holds":[{"name":"lost","since":null}],"before":{"unschedulable":false}}`, storeID)
	p.patchNode(t, node, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}},"spec":{"unschedulable":true,"taints":[{"key":%q,"effect":"NoSchedule"}]}}`,
		v1beta1.HoldsAnnotation, note, v1beta1.DrainTaint))
}

// TestNodeLeftBehind has nodes that carry a server's marks while nobody holds
// them: one of this server's store is given back, one of another's is left alone.
func TestNodeLeftBehind(t *testing.T) {
	t.Parallel()
	p := newPool(t, 3)
	hold := p.Hold("a", p.Nodes[0])
	hold.Spec.Stage = v1beta1.StageCordon
	p.Create(t, hold)
	p.WaitForHold(t, hold.Name, "cordoned", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.Phase == v1beta1.PhaseSucceeded })
	own := p.storeID(t, p.Nodes[0])

	p.mark(t, p.Nodes[1], own)
	p.mark(t, p.Nodes[2], "another-store")
	env.Eventually(t, "a node of our own is given back", func(context.Context) string {
		if node := p.Node(t, p.Nodes[1]); node.Spec.Unschedulable || len(marksOn(node)) > 0 {
			return joined(marksOn(node))
		}
		return ""
	})
	p.waitForEvent(t, "Node", p.Nodes[2], "NodeLeftBehind", "another-store", "by hand")
	env.Always(t, 2*time.Second, "a node of another server is left alone", func(context.Context) string {
		if node := p.Node(t, p.Nodes[2]); !node.Spec.Unschedulable {
			return "it was uncordoned"
		}
		return ""
	})
	p.Delete(t, hold.Name)
}
