// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"slices"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// leaderKilled ends the leader as a power cut would.
func leaderKilled(t *testing.T, g *group) {
	g.endLeaders(t, g.lease.takeover(), func(leader *localcluster.Server) error { return leader.Kill() })
}

// leaderTerminated ends the leader as a rollout does.
func leaderTerminated(t *testing.T, g *group) {
	g.endLeaders(t, handover, func(leader *localcluster.Server) error {
		exit, err := leader.Terminate(t.Context())
		if err == nil && exit.Code != 0 {
			t.Errorf("the leader ended with exit code %d", exit.Code)
		}
		return err
	})
}

// endLeaders ends a leader in the midst of ten drains, as often as -replicas.rounds says, and wants a
// successor to act in time.
func (g *group) endLeaders(t *testing.T, bound time.Duration, end func(leader *localcluster.Server) error) {
	var took []time.Duration
	for range *rounds {
		took = append(took, g.endLeader(t, end))
	}
	g.logMemory(t)
	slices.Sort(took)
	t.Logf("a successor acted after %s / %s / %s (least / median / most of %d)", took[0], took[len(took)/2], took[len(took)-1], len(took))
	if most := took[len(took)-1]; most > bound {
		t.Errorf("a successor acted only after %s, want %s at most", most, bound)
	}
}

func (g *group) endLeader(t *testing.T, end func(leader *localcluster.Server) error) time.Duration {
	t.Helper()
	g.keepReplicas(t)
	d := g.newDrains(t)
	leader := g.leader(t)
	d.begin(t)
	then := time.Now()
	if err := end(leader); err != nil {
		t.Fatal(err)
	}
	took := d.waitForAct(t, then, g.others(leader))
	if err := leader.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.end(t)
	return took.Round(time.Millisecond)
}

// allKilled ends all replicas at once, and starts them again.
func allKilled(t *testing.T, g *group) {
	g.keepReplicas(t)
	d := g.newDrains(t)
	d.begin(t)
	for _, s := range g.Replicas.Servers {
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Now()
	for _, s := range g.Replicas.Servers {
		if err := s.Launch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	took := d.waitForAct(t, then, g.Replicas.Servers)
	t.Logf("a replica acted %s after all were killed", took.Round(time.Millisecond))
	for _, s := range g.Replicas.Servers {
		if err := s.Start(t.Context()); err != nil { // waits until the aggregator knows it again
			t.Fatal(err)
		}
	}
	d.end(t)
}
