// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// laggingGate lets every node pass, after a while if it is told so.
type laggingGate struct {
	fakeGate
	isSlow atomic.Bool
}

func (g *laggingGate) Acquire(context.Context, *corev1.Node, []*v1beta1.NodeMaintenance) (Verdict, error) {
	if g.isSlow.Load() {
		time.Sleep(10 * time.Second)
	}
	return Verdict{}, nil
}

// Once a hold is gone, no pod is evicted that only this hold wanted to go, however long the node is being looked at.
func TestHoldThatIsGoneEvictsNothing(t *testing.T) {
	gate := &laggingGate{}
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object())
		gate.cluster = c
		c.config.Gates = append(c.config.Gates, gate)
		return c
	}, func(c *cluster) {
		budget := drainertest.Budget{Name: "web", Version: "1", Desired: 1, Healthy: 1, Expected: 1}
		c.changeBudget(budget.Object())
		c.create(drainertest.Hold{Name: "others", SelectApp: "db"}.Object())
		c.create(drainertest.Hold{Name: "all"}.Object())
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 0})

		gate.isSlow.Store(true)
		c.delete("all")
		c.wait(time.Second)
		c.wantNoHold("all")
		budget.Version, budget.Desired, budget.Allowed = "2", 0, 1
		c.changeBudget(budget.Object())
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 0})
	})
}
