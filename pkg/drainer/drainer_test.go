// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// inCluster runs a test in a bubble of its own time, with a drainer at work. What the drainer
// leaves running when it is stopped fails the test.
func inCluster(t *testing.T, c func(t *testing.T) *cluster, test func(c *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cluster := c(t)
		cluster.start()
		defer func() { cluster.stop() }()
		test(cluster)
	})
}

func TestDrainAndGiveBack(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makePod("web-1"), makePod("web-2"), makePod("static", mirror))
	}, func(c *cluster) {
		c.create(makeHold("a"))
		c.wantCordoned(testNode, true)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1, "static": 0})
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionTrue, v1beta1.ReasonCordoned)

		c.finish("web-1")
		c.wait(statusInterval)
		if status := c.hold("a").Status; status.DrainProgress != 50 || status.EvictionPods != 2 || status.PendingPodCount != 1 || status.TotalPods != 2 {
			t.Errorf("half way: %+v", status)
		}
		c.finish("web-2")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonNodeEmpty)
		if status := c.hold("a").Status; status.DrainProgress != 100 || status.EvictionPods != 2 || status.DrainedTime == nil {
			t.Errorf("drained: %+v", status)
		}

		c.delete("a")
		c.wantNoHold("a")
		c.wantCordoned(testNode, false)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
	})
}
