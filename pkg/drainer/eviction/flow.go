// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// mostOfBudget is how many evictions of one budget may be under way. Each of them updates
	// the budget's status, and updates that collide are repeated after half a second: eight at
	// a time took 2 s each where one took half a second.
	mostOfBudget = 4
	// slowEviction is what an answer may take before fewer of its budget are made at a time.
	slowEviction = time.Second
	// throttledPause is how long nothing is posted after the API server had too much to do,
	// unless it asks for longer itself.
	throttledPause = time.Second
)

// flows are the evictions under way of each budget.
type flows map[types.NamespacedName]*flow

// flow begins with one at a time, and takes one more after each that went through quickly.
type flow struct{ inFlight, limit int }

func (f flows) full(budget types.NamespacedName) bool {
	known := f[budget]
	return known != nil && known.inFlight >= known.limit
}

func (f flows) begin(budget types.NamespacedName) {
	if f[budget] == nil {
		f[budget] = &flow{limit: 1}
	}
	f[budget].inFlight++
}

// end takes in the answer to one of the budget's evictions.
func (f flows) end(budget types.NamespacedName, a Answer, took time.Duration) {
	known := f[budget]
	known.inFlight--
	switch {
	case a.Outcome != Evicted, took > slowEviction:
		known.limit = 1
	default:
		known.limit = min(known.limit+1, mostOfBudget)
	}
	if known.inFlight == 0 && known.limit == 1 {
		delete(f, budget)
	}
}

// window bounds the requests under way. It halves when the API server says that it has too
// much to do, and grows by one with each request that goes through.
type window struct {
	size, most  int
	pausedUntil time.Time
}

func newWindow(most int) window { return window{size: most, most: most} }

// take adapts the window to the answer to a request.
func (w *window) take(a Answer, now time.Time) {
	switch {
	case a.Outcome == Evicted:
		w.size = min(w.size+1, w.most)
	case a.Outcome == Throttled && !now.Before(w.pausedUntil):
		// All that were under way are refused at about the same time: that counts once.
		w.size = max(w.size/2, 1)
		w.pausedUntil = now.Add(max(throttledPause, a.retryAfter))
	}
}
