// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package workloop

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// Bell wakes a loop when something has changed. It stays rung until the loop receives from it. Use NewBell.
type Bell chan struct{}

// NewBell returns a bell that was not rung.
func NewBell() Bell { return make(Bell, 1) }

// Ring wakes the loop. It never blocks.
func (b Bell) Ring() {
	select {
	case b <- struct{}{}:
	default: // it was rung before
	}
}

// AwaitUntil waits until the bell is rung, that time has come, or ctx is done. With a zero time, it waits for the others alone.
func (b Bell) AwaitUntil(ctx context.Context, clock clock.WithTicker, at time.Time) {
	var next time.Duration
	if !at.IsZero() {
		next = max(at.Sub(clock.Now()), time.Millisecond)
	}
	b.Await(ctx, clock, next)
}

// Await waits until the bell is rung, the time is over, or ctx is done. With a time of zero, it waits for the others alone.
func (b Bell) Await(ctx context.Context, clock clock.WithTicker, next time.Duration) {
	var elapsed <-chan time.Time
	if next > 0 {
		timer := clock.NewTimer(next)
		defer timer.Stop()
		elapsed = timer.C()
	}
	select {
	case <-elapsed:
	case <-b:
	case <-ctx.Done():
	}
}
