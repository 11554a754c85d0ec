// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

func TestDrainAndGiveBack(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
		drainertest.Pod{
			Name: "web-2",
		}.Object(), drainertest.Pod{Name: "static", Mirror: true}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wantCordoned(drainertest.NodeName, true)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1, "static": 0})
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionTrue, v1beta1.ReasonCordoned)

		c.finish("web-1")
		c.wait(holdstatus.WriteInterval)
		c.wantCounts("a", counts{Total: 3, Evicted: 2, Pending: 1, Progress: 50})
		c.finish("web-2")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonNodeEmpty)
		c.wantCounts("a", counts{Total: 3, Evicted: 2, Progress: 100})
		if c.hold("a").Status.DrainedTime == nil {
			t.Error("it does not say when it was drained")
		}

		c.delete("a")
		c.wantNoHold("a")
		c.wantCordoned(drainertest.NodeName, false)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
	})
}
