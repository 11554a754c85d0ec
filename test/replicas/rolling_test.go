// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"sync"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// clients is how many create and watch during a rolling restart.
const clients = 50

// rollingRestart ends and starts one replica after the other, in order, as a rollout does, in the midst of
// ten drains and of what fifty clients do.
func rollingRestart(t *testing.T, g *group) {
	g.keepReplicas(t)
	d := g.newDrains(t)
	end := d.startClients(t)
	d.begin(t)
	for _, s := range g.Replicas.Servers {
		exit, err := s.Terminate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if exit.Code != 0 {
			t.Errorf("%s ended with exit code %d", s.Name(), exit.Code)
		}
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		env.Eventually(t, s.Name()+" is behind the Service again", func(context.Context) (wrong string) {
			if !g.Replicas.Balancer.Ready(s.Address()) {
				return "it is not"
			}
			return ""
		})
	}
	end()
	d.end(t)
}

// startClients has clients create and watch until end is called, which checks that no request failed.
func (d *drains) startClients(t *testing.T) (end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	all := make([]*client, 0, clients)
	for i := range clients {
		c := newClient(t, d.Pool, i)
		all = append(all, c)
		running.Go(func() { c.run(ctx) })
	}
	finish := sync.OnceFunc(func() {
		stop()
		running.Wait()
	})
	t.Cleanup(finish)
	return func() {
		finish()
		check(t, all)
	}
}

func check(t *testing.T, all []*client) {
	t.Helper()
	requests, watches := 0, 0
	for _, c := range all {
		requests, watches = requests+c.requests, watches+c.watches
		for _, failure := range c.failures {
			t.Error(failure)
		}
		if c.watches < 2 {
			t.Errorf("the watch of client %d never ended, so this shows nothing", c.number)
		}
	}
	t.Logf("%d clients made %d requests; their watches ended and began again %d times", len(all), requests, watches-len(all))
}
