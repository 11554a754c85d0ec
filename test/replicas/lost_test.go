// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// leaderPaused stops the leader's process where it is, as a machine that hangs does, and continues it.
func leaderPaused(t *testing.T, g *group) {
	g.loseLeader(t, (*localcluster.Server).Pause, func(leader *localcluster.Server, since time.Time) (time.Time, error) {
		time.Sleep(time.Until(since.Add(g.lease.pause())))
		return time.Now(), leader.Continue()
	})
}

// leaderCutOff has nothing pass between the leader and kube-apiserver until another replica leads.
func leaderCutOff(t *testing.T, g *group) {
	g.loseLeader(t, func(leader *localcluster.Server) error {
		leader.Link.Cut()
		return nil
	}, func(leader *localcluster.Server, _ time.Time) (time.Time, error) {
		defer leader.Link.Mend()
		return time.Now(), nil
	})
}

// loseLeader has a leader lose the lease in the midst of ten drains, and come back, which comeBack does and says
// when. It may do nothing more then, and be of use again.
func (g *group) loseLeader(t *testing.T, lose func(*localcluster.Server) error, comeBack func(*localcluster.Server, time.Time) (time.Time, error)) {
	g.keepReplicas(t)
	d := g.newDrains(t)
	leader := g.leader(t)
	d.begin(t)
	then := time.Now()
	if err := lose(leader); err != nil {
		t.Fatal(err)
	}
	took := d.waitForAct(t, then, g.others(leader))
	t.Logf("a successor acted after %s", took.Round(time.Millisecond))
	if most := g.lease.takeover(); took > most {
		t.Errorf("a successor acted only after %s, want %s at most", took, most)
	}
	lost := g.acquired(t)
	back, err := comeBack(leader, then)
	if err != nil {
		t.Fatal(err)
	}
	g.wantStandby(t, leader)
	d.end(t)
	d.wantNoActs(t, leader, lost, back)
}

// wantStandby waits until a replica serves and knows that another one leads.
func (g *group) wantStandby(t *testing.T, s *localcluster.Server) {
	t.Helper()
	env.Eventually(t, s.Name()+" serves, and does not lead", func(ctx context.Context) string {
		is, err := g.isLeader(ctx, s)
		switch {
		case err != nil:
			return err.Error()
		case is:
			return "it leads"
		}
		if err := s.ReportsReady(ctx); err != nil {
			return err.Error()
		}
		return ""
	})
	if leader := g.leader(t); leader == s {
		t.Errorf("%s leads again", s.Name())
	}
}

// leaderUnreachable has the aggregator reach every replica but the one that leads.
func leaderUnreachable(t *testing.T, g *group) {
	g.keepReplicas(t)
	d := g.newDrains(t)
	leader := g.leader(t)
	g.Replicas.Balancer.CutOff(leader.Address())
	g.waitForOthers(t, leader)
	d.begin(t)
	d.end(t)
	d.wantActsOnlyBy(t, leader)
	if open := g.Replicas.Balancer.Connections(leader.Address()); open > 0 {
		t.Errorf("%d connections reached a replica that was cut off", open)
	}
}

// waitForOthers waits until the aggregator reaches another replica. It calls the server unavailable for a moment if it
// looked just when a connection was cut.
func (g *group) waitForOthers(t *testing.T, but *localcluster.Server) {
	t.Helper()
	if err := g.others(but)[0].WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
}
