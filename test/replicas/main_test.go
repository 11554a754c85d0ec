// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package replicas ends, stops and cuts off replicas of our server in the midst of drains, and checks that
// another one goes on, and that nothing is lost or done twice. Each store has a control plane of its own.
package replicas

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

var (
	all    = flag.Bool("replicas.all", false, "run every case with every store, with three replicas and the lease of a real server")
	rounds = flag.Int("replicas.rounds", 1, "how often a leader is ended, for the figures of failover")
	seed   = flag.Uint64("replicas.seed", 0, "what decides about the moments; 0 for another one each time")
)

// lease is how long a leader's lease lasts, and what goes with it: as the server has it by default with
// -replicas.all, else shorter, so that an ordinary run waits less.
type lease struct {
	// duration, renewDeadline and retryPeriod are what the server's flags --leader-elect-… say.
	duration, renewDeadline, retryPeriod time.Duration
}

func newLease() lease {
	if *all {
		return lease{duration: 15 * time.Second, renewDeadline: 10 * time.Second, retryPeriod: 2 * time.Second}
	}
	return lease{duration: 6 * time.Second, renewDeadline: 4 * time.Second, retryPeriod: time.Second}
}

// args are the server's flags for it.
func (l lease) args() []string {
	return []string{
		"--leader-elect-lease-duration=" + l.duration.String(), "--leader-elect-renew-deadline=" + l.renewDeadline.String(),
		"--leader-elect-retry-period=" + l.retryPeriod.String(),
	}
}

// takeover bounds the time until another replica acts after a leader was lost without a word: the duration of the
// lease, one more try, and a moment. 18 s is what is promised for a lease of 15 s.
func (l lease) takeover() time.Duration { return l.duration + 3*time.Second }

// pause is the time for which a leader is stopped: much longer than its lease lasts.
func (l lease) pause() time.Duration { return 2*l.duration + 10*time.Second }

const (
	// handover is the time until another replica acts after a leader has ended in order.
	handover = 3 * time.Second
	// shutdownDelay is how long a replica that ends in order still serves, as in the chart: until the aggregator has
	// used each of its idle connections to it once more. A request that comes just when one is closed would fail.
	shutdownDelay = 10 * time.Second

	// requestGrace is how long it lets requests in flight go on then. On a busy machine with the race detector, a
	// create takes seconds, above all with StoreCluster.
	requestGrace = 10 * time.Second

	startTimeout = 6 * time.Minute
)

// stores are the stores that several replicas can share.
var stores = []string{localcluster.StoreEtcd, localcluster.StoreCluster}

// cases are what befalls the replicas, in this order.
var cases = []struct {
	name string
	run  func(t *testing.T, g *group)
	// only is the one store that suffices for an ordinary run; "" for all.
	only string
}{
	{name: "LeaderKilled", run: leaderKilled},
	{name: "LeaderTerminated", run: leaderTerminated},
	{name: "LeaderUnreachable", run: leaderUnreachable, only: localcluster.StoreCluster},
	{name: "LeaderPaused", run: leaderPaused, only: localcluster.StoreEtcd},
	{name: "LeaderPausedUnderLimits", run: leaderPausedUnderLimits, only: localcluster.StoreEtcd},
	{name: "LeaderCutOff", run: leaderCutOff, only: localcluster.StoreEtcd},
	{name: "AllKilled", run: allKilled},
	{name: "RollingRestart", run: rollingRestart},
}

func TestReplicas(t *testing.T) {
	for _, store := range stores {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			g := startGroup(t, store)
			for _, c := range cases {
				if *all || c.only == "" || c.only == store {
					t.Run(c.name, func(t *testing.T) { c.run(t, g) })
				}
			}
		})
	}
}

// group is a control plane with replicas of our server that share a store.
type group struct {
	*env.Env
	lease  lease
	random *rand.Rand
}

func startGroup(t *testing.T, store string) *group {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	options := localcluster.ReplicasOptions{Server: env.ServerOptions(), Count: 2, Linked: true}
	options.Server.Store = store
	options.Server.ExtraArgs = []string{ // as in the chart
		"--shutdown-delay-duration=" + shutdownDelay.String(), "--shutdown-request-grace-period=" + requestGrace.String(),
		"--disable-http2-serving",
	}
	lease := newLease()
	options.Server.ExtraArgs = append(options.Server.ExtraArgs, lease.args()...)
	if *all {
		options.Count = 3
	}
	e, err := env.StartReplicas(ctx, options, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
	})
	seed := *seed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat this with -args -replicas.seed=%d", seed)
	return &group{Env: e, lease: lease, random: rand.New(rand.NewPCG(seed, 0))}
}

// keepReplicas has the case's end start and mend every replica again, however the case left it.
func (g *group) keepReplicas(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), env.Timeout)
		defer cancel()
		for _, s := range g.Replicas.Servers {
			g.Replicas.Balancer.Reach(s.Address())
			s.Link.Mend()
			if err := s.Continue(); err != nil {
				t.Error(err)
			}
			if err := s.Start(ctx); err != nil {
				t.Errorf("could not start %s again: %v", s.Name(), err)
			}
		}
	})
}
