// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func expiresAfter(seconds int64) func(*v1beta1.NodeMaintenance) {
	return func(h *v1beta1.NodeMaintenance) {
		h.CreationTimestamp = metav1.Now()
		h.Spec.ExpirationSeconds = &seconds
	}
}

// A hold says that it ends soon, and ends; the node is given back.
func TestExpiration(t *testing.T) {
	tests := map[string]struct {
		node   string
		change []func(*v1beta1.NodeMaintenance)
	}{
		"drain":        {node: testNode},
		"cordon":       {node: testNode, change: []func(*v1beta1.NodeMaintenance){stage(v1beta1.StageCordon)}},
		"idle":         {node: testNode, change: []func(*v1beta1.NodeMaintenance){stage(v1beta1.StageIdle)}},
		"missing node": {node: "worker-9", change: []func(*v1beta1.NodeMaintenance){forNode("worker-9")}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode)) }, func(c *cluster) {
				c.create(makeHold("a", append(test.change, expiresAfter(100))...))
				c.wait(70 * time.Second)
				if isExpiring(c.hold("a").Status) {
					t.Error("it says too early that it ends soon")
				}
				if end := c.hold("a").Status.ExpirationTime; end == nil || end.Sub(c.hold("a").CreationTimestamp.Time) != 100*time.Second {
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
				if test.node == testNode && c.node(testNode).Spec.Unschedulable {
					t.Error("the node was not given back")
				}
			})
		})
	}
}

// More time given in time keeps the hold, and takes back that it ends soon.
func TestExpirationExtended(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode)) }, func(c *cluster) {
		c.create(makeHold("a", expiresAfter(20)))
		c.wait(17 * time.Second)
		c.change("a", func(h *v1beta1.NodeMaintenance) { *h.Spec.ExpirationSeconds = 1000 })
		c.wait(20 * time.Second)
		if h := c.hold("a"); isExpiring(h.Status) || !c.node(testNode).Spec.Unschedulable {
			t.Errorf("got %+v, want it to hold the node and not to end soon", h)
		}
	})
}
