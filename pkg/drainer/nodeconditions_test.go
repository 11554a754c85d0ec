// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// A node in service must not say for good that it is in maintenance.
func TestConditionsThatCannotBeClearedAreClearedLater(t *testing.T) {
	tests := map[string]struct {
		node    drainertest.Node
		end     func(*cluster)
		restart bool
	}{
		"deleted":            {node: drainertest.Node{}, end: func(c *cluster) { c.delete("a") }},
		"deleted, restarted": {node: drainertest.Node{}, end: func(c *cluster) { c.delete("a") }, restart: true},
		"idle": {
			node: drainertest.Node{},
			end:  func(c *cluster) { c.change("a", drainertest.SetStage(v1beta1.StageIdle)) },
		},
		"idle, restarted": {
			node: drainertest.Node{},
			end:  func(c *cluster) { c.change("a", drainertest.SetStage(v1beta1.StageIdle)) }, restart: true,
		},
		"another's taint too": {
			node: drainertest.Node{Taints: []string{v1beta1.DrainTaint}}, end: func(c *cluster) { c.delete("a") },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, with(test.node.Object()), func(c *cluster) {
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.Inject(drainertest.Failing("patch", "nodes", drainertest.ServerDown(), drainertest.OfStatus))
				test.end(c)
				c.wait(time.Minute)
				if name != "another's taint too" {
					c.wantCordoned(drainertest.NodeName, false)
				}
				if len(nodemarks.OurConditions(c.node(drainertest.NodeName))) == 0 {
					t.Fatal("the conditions were cleared all the same")
				}
				if test.restart {
					c.stop()
					c.start()
				}
				c.Heal()
				c.wait(time.Minute)
				if left := nodemarks.OurConditions(c.node(drainertest.NodeName)); len(left) > 0 {
					t.Errorf("the node still says %v", left)
				}
			})
		})
	}
}
