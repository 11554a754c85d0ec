// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/workloop"
)

// await waits until something has changed, or until time alone may make room for a candidate, such as when a place of a
// pool is over. It says no when ctx is done.
func (a *admitter) await(ctx context.Context) bool {
	var elapsed <-chan time.Time
	a.mu.Lock()
	again := a.again
	a.mu.Unlock()
	if !again.IsZero() {
		timer := a.config.Clock.NewTimer(workloop.Until(again, a.config.Clock.Now()))
		defer timer.Stop()
		elapsed = timer.C()
	}
	select {
	case <-ctx.Done():
		return false
	case <-a.changed:
	case <-elapsed:
	}
	return true
}
