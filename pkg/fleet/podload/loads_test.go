// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package podload

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

var web = types.NamespacedName{Namespace: "shop", Name: "web"}

// drains are nodes with pods. Each answer takes a while.
type drains struct {
	mu    sync.Mutex
	loads map[string]drainer.Load
	room  int
	takes time.Duration
	// asked is how often each node was asked for, and most how many of them side by side.
	asked      map[string]int
	busy, most int
}

func newDrains(nodes ...string) *drains {
	d := &drains{loads: map[string]drainer.Load{}, asked: map[string]int{}, takes: 10 * time.Millisecond}
	for _, node := range nodes {
		d.loads[node] = drainer.Load{Pods: 3, Budgets: map[types.NamespacedName]int{web: 2}}
	}
	return d
}

func (d *drains) Load(ctx context.Context, node string) (drainer.Load, error) {
	d.count(node, 1)
	defer d.count(node, -1)
	select {
	case <-ctx.Done():
		return drainer.Load{}, ctx.Err()
	case <-time.After(d.takes):
	}
	load, found := d.loads[node]
	if !found {
		return drainer.Load{}, errors.New("it does not answer")
	}
	return load, nil
}

func (d *drains) count(node string, by int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked[node] += max(by, 0)
	d.busy += by
	d.most = max(d.most, d.busy)
}

func (d *drains) Room(types.NamespacedName) int { return d.room }

func numbered(n int) (nodes []string) {
	for i := range n {
		nodes = append(nodes, fmt.Sprintf("node-%02d", i))
	}
	return nodes
}

func TestPodLoads(t *testing.T) {
	tests := map[string]struct {
		drains    *drains
		ask       []string
		wantNodes []string
		wantAsked int
		wantMost  int
	}{
		"no node":                    {drains: newDrains()},
		"one":                        {drains: newDrains("a"), ask: []string{"a"}, wantNodes: []string{"a"}, wantAsked: 1, wantMost: 1},
		"one that cannot be learned": {drains: newDrains("a"), ask: []string{"a", "b"}, wantNodes: []string{"a"}, wantAsked: 2, wantMost: 2},
		"too many":                   {drains: newDrains(numbered(40)...), ask: numbered(40), wantNodes: numbered(32), wantAsked: 32, wantMost: 4},
		"an API server that hangs":   {drains: &drains{takes: time.Hour, asked: map[string]int{}}, ask: numbered(40), wantAsked: 4, wantMost: 4},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				loads := New(test.drains, clock.RealClock{}).PodLoads(t.Context(), test.ask)
				if got := slices.Sorted(maps.Keys(loads)); !slices.Equal(got, test.wantNodes) {
					t.Errorf("got %q, want %q", got, test.wantNodes)
				}
				if got := len(test.drains.asked); got != test.wantAsked {
					t.Errorf("asked for %d nodes, want %d", got, test.wantAsked)
				}
				if test.drains.most != test.wantMost {
					t.Errorf("asked for %d nodes side by side, want %d", test.drains.most, test.wantMost)
				}
				if took := time.Since(began); took > patience {
					t.Errorf("it took %s, want %s at most", took, patience)
				}
			})
		})
	}
}

// The pods of a node are listed once in 30 seconds, but budgets are as they are now.
func TestPodLoadsKeepsAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDrains("a")
		loads := New(d, clock.RealClock{})
		want := decision.PodLoad{Evictable: 3, Budgets: map[types.NamespacedName]int{web: 2}, Allowed: map[types.NamespacedName]int{web: 0}}
		for range 2 {
			if diff := cmp.Diff(want, loads.PodLoads(t.Context(), []string{"a", "silent"})["a"]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			d.room, want.Allowed[web] = 1, 1
		}
		if d.asked["a"] != 1 || d.asked["silent"] != 1 {
			t.Errorf("asked %v, want once each", d.asked)
		}
		time.Sleep(keep)
		loads.PodLoads(t.Context(), []string{"a"})
		if d.asked["a"] != 2 {
			t.Errorf("asked %d times after %s, want twice", d.asked["a"], keep)
		}
		if len(loads.known) != 1 {
			t.Errorf("%d nodes are known, want 1: old ones are forgotten", len(loads.known))
		}
	})
}
