// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"fmt"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// leaderPausedUnderLimits stops the leader past its lease while holds wait for a policy, and other nodes for the limit of
// a profile. Another one lets the next go. The former leader, when it continues, lets nobody go beside.
func leaderPausedUnderLimits(t *testing.T, g *group) {
	const limit = 2
	g.keepReplicas(t)
	pool := g.NewPool(t, 8)
	pool.WantMostCordoned(t, limit)
	pool.Policy(t, "limit", env.AtMost(fmt.Sprint(limit)))
	turns := g.newTurns(t, len(pool.Nodes), limit)
	leader := g.leader(t)
	holds := make([]string, 0, len(pool.Nodes))
	for i, node := range pool.Nodes {
		hold := pool.Hold(fmt.Sprint(i), node)
		hold.Spec.Stage = v1beta1.StageCordon
		holds = append(holds, pool.Create(t, hold).Name)
	}
	since := time.Now()
	g.Replicas.Balancer.CutOff(leader.Address()) // as a readiness probe does: requests to it would wait for it
	if err := leader.Pause(); err != nil {
		t.Fatal(err)
	}
	pool.WaitForCordoned(t, limit)
	turns.WaitForCordoned(t, limit)
	for i, hold := range holds {
		if i == len(holds)/2 {
			time.Sleep(time.Until(since.Add(g.lease.pause())))
			if err := leader.Continue(); err != nil {
				t.Fatal(err)
			}
			g.Replicas.Balancer.Reach(leader.Address())
		}
		pool.WaitForHold(t, hold, "it has its turn", func(nm *v1beta1.NodeMaintenance) bool { return nm.Status.Phase == v1beta1.PhaseSucceeded })
		pool.Delete(t, hold)
		turns.next(t)
	}
	g.wantStandby(t, leader)
	pool.WaitUntilClean(t)
	turns.WaitUntilClean(t)
}
