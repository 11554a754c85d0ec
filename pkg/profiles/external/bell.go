// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// bell has one element when something has changed that a loop has to look at.
type bell chan struct{}

func newBell() bell { return make(bell, 1) }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// await waits until the bell rings, or for that time; zero: for any.
func (b bell) await(ctx context.Context, clock clock.WithTicker, next time.Duration) {
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
