// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package podload tells the decider what the drains of nodes would take. It only orders the queue, so
// what cannot be learned soon is left out.
package podload

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

const (
	// most is how many nodes' pods are asked for at a time, at most.
	most = 32
	// parallel is how many of them are asked for side by side.
	parallel = 4
	// keep is how long an answer is kept. That a node could not be asked for is kept as long.
	keep = 30 * time.Second
	// patience is how long all answers together may take: a decision must not be older than a few seconds.
	patience = 2 * time.Second
)

// Drains says what drains would take. The drainer is one.
type Drains interface {
	// Load says what a drain of the node would take. It asks the API server.
	Load(ctx context.Context, node string) (drainer.Load, error)
	// Room is how many more pods the disruption budget lets go now; 0 if there is no such budget. It
	// answers at once, from memory.
	Room(budget types.NamespacedName) int
}

// Loads keeps for a while what the drains of nodes would take. Use New.
type Loads struct {
	drains Drains
	clock  clock.PassiveClock

	mu    sync.Mutex
	known map[string]answer
}

// answer is what was learned of a node.
type answer struct {
	load  drainer.Load
	err   error
	until time.Time
}

// New returns Loads that knows of no node yet, and asks for none by itself.
func New(drains Drains, clock clock.PassiveClock) *Loads {
	return &Loads{drains: drains, clock: clock, known: map[string]answer{}}
}

// PodLoads says what drains of these nodes would take, but for those that cannot be asked for within 2
// seconds, and those after the first 32. What is known of a node is kept for 30 seconds, and the room of
// budgets is as it is now.
func (l *Loads) PodLoads(ctx context.Context, nodes []string) map[string]decision.PodLoad {
	nodes = nodes[:min(len(nodes), most)]
	l.ask(ctx, l.missing(nodes))
	l.mu.Lock()
	defer l.mu.Unlock()
	loads := make(map[string]decision.PodLoad, len(nodes))
	for _, node := range nodes {
		if known, found := l.known[node]; found && known.err == nil {
			loads[node] = l.podLoad(known.load)
		}
	}
	return loads
}

// missing forgets old answers, and returns the nodes of which there is none.
func (l *Loads) missing(nodes []string) (missing []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	for node, known := range l.known {
		if !now.Before(known.until) {
			delete(l.known, node)
		}
	}
	for _, node := range nodes {
		if _, found := l.known[node]; !found {
			missing = append(missing, node)
		}
	}
	return missing
}

func (l *Loads) ask(ctx context.Context, nodes []string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	workqueue.ParallelizeUntil(ctx, parallel, len(nodes), func(i int) {
		load, err := l.drains.Load(ctx, nodes[i])
		l.mu.Lock()
		defer l.mu.Unlock()
		l.known[nodes[i]] = answer{load: load, err: err, until: l.clock.Now().Add(keep)}
	})
}

func (l *Loads) podLoad(load drainer.Load) decision.PodLoad {
	allowed := make(map[types.NamespacedName]int, len(load.Budgets))
	for budget := range load.Budgets {
		allowed[budget] = l.drains.Room(budget)
	}
	return decision.PodLoad{Evictable: load.Pods, Budgets: load.Budgets, Allowed: allowed}
}
