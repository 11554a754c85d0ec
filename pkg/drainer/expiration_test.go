// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// A hold says that it ends soon, and ends; the node is given back.
func TestExpiration(t *testing.T) {
	tests := map[string]struct {
		node  string
		stage v1beta1.MaintenanceStage
	}{
		"drain":        {node: drainertest.NodeName, stage: v1beta1.StageDrain},
		"cordon":       {node: drainertest.NodeName, stage: v1beta1.StageCordon},
		"idle":         {node: drainertest.NodeName, stage: v1beta1.StageIdle},
		"missing node": {node: "worker-9", stage: v1beta1.StageDrain},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
				c.create(drainertest.Hold{
					Name: "a", Node: test.node, Stage: test.stage, Created: time.Now(), ExpirationSeconds: 100,
				}.Object())
				c.wait(70 * time.Second)
				if isExpiring(c.hold("a").Status) {
					t.Error("it says too early that it ends soon")
				}
				hold := c.hold("a")
				if end := hold.Status.ExpirationTime; end == nil || end.Sub(hold.CreationTimestamp.Time) != 100*time.Second {
					t.Errorf("got expiration time %v, want 100 s after the creation", end)
				}
				c.wait(12 * time.Second)
				if !isExpiring(c.hold("a").Status) {
					t.Error("it does not say that it ends soon")
				}
				c.wantEvent(c.events(), eventHoldExpiring, 2) // on the hold, and on the node
				c.wait(10 * time.Second)
				c.hold("a") // it has not ended yet
				c.wait(10 * time.Second)
				c.wantNoHold("a")
				c.wantEvent(c.events(), eventHoldExpired, 2)
				if test.node == drainertest.NodeName && c.node(drainertest.NodeName).Spec.Unschedulable {
					t.Error("the node was not given back")
				}
			})
		})
	}
}

// More time given in time keeps the hold, and takes back that it ends soon.
func TestExpirationExtended(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", Created: time.Now(), ExpirationSeconds: 20}.Object())
		c.wait(17 * time.Second)
		c.change("a", func(h *v1beta1.NodeMaintenance) { *h.Spec.ExpirationSeconds = 1000 })
		c.wait(20 * time.Second)
		if h := c.hold("a"); isExpiring(h.Status) || !c.node(drainertest.NodeName).Spec.Unschedulable {
			t.Errorf("got %+v, want it to hold the node and not to end soon", h)
		}
	})
}
