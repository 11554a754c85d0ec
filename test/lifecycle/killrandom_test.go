// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

const (
	kills = 6
	// longestLife is how long a server runs at most until it is killed. It needs
	// about half a second to start, so some are killed before they serve.
	longestLife = 2500 * time.Millisecond
)

var seed = flag.Uint64("seed", 0, "what decides about TestKillAtRandom; 0 for another one each time")

// TestKillAtRandom kills the server again and again while a user creates and
// deletes holds, and then deletes all of them.
func TestKillAtRandom(t *testing.T) {
	seed := *seed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat this with -args -seed=%d", seed)
	pool := env.Current(t).NewPool(t, 4)
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Deployment("web", 8, pool.Selector(), localcluster.TerminationDelay(2*time.Second)).
		Deployment("guarded", 8, pool.Selector()).Budget("guarded", localcluster.MaxUnavailable("2")).
		DaemonSet("agent", pool.Selector()))
	keepServer(t)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	u := &user{pool: pool, random: rand.New(rand.NewPCG(seed, 1))}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		u.run(ctx)
	}()
	random := rand.New(rand.NewPCG(seed, 2))
	for range kills {
		time.Sleep(time.Duration(random.Int64N(int64(longestLife))))
		kill(t)
		if err := pool.Server.Launch(t.Context()); err != nil {
			t.Fatalf("could not start the server: %v", err)
		}
	}
	start(t)
	stop()
	<-ended
	t.Logf("the user created %d holds and deleted %d, in %d requests that succeeded or failed", u.created, u.deleted, u.requests)

	wantAllEnd(t, pool)
	wantClean(t, pool)
	wantEvictedOnce(t, pool, nil)
}

// user creates and deletes holds at random, whatever comes of it.
type user struct {
	pool   *env.Pool
	random *rand.Rand

	requests, created, deleted int
}

func (u *user) run(ctx context.Context) {
	holds := u.pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	for ctx.Err() == nil {
		name := fmt.Sprintf("hold-%d", u.random.IntN(6))
		u.requests++
		if u.random.IntN(3) > 0 {
			node := u.pool.Nodes[u.random.IntN(len(u.pool.Nodes))]
			if _, err := holds.Create(ctx, u.pool.Hold(name, node), metav1.CreateOptions{}); err == nil {
				u.created++
			}
		} else if err := holds.Delete(ctx, u.pool.Name+"-"+name, metav1.DeleteOptions{}); err == nil {
			u.deleted++
		}
		time.Sleep(time.Duration(u.random.Int64N(int64(200 * time.Millisecond))))
	}
}

// wantAllEnd deletes the pool's holds and waits until none is left.
func wantAllEnd(t *testing.T, pool *env.Pool) {
	t.Helper()
	holds := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances()
	env.Eventually(t, "every hold ends", func(ctx context.Context) string {
		list, err := holds.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err.Error()
		}
		var left []string
		for i := range list.Items {
			nm := &list.Items[i]
			if !strings.HasPrefix(nm.Name, pool.Name) {
				continue
			}
			left = append(left, nm.Name)
			if nm.DeletionTimestamp.IsZero() {
				if err := holds.Delete(ctx, nm.Name, metav1.DeleteOptions{}); err != nil {
					return err.Error()
				}
			}
		}
		return strings.Join(left, ", ")
	})
}
