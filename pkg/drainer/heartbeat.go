// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// heartbeatKey goes through the queue like a node does, so that idle workers beat, too; no node has that name.
	heartbeatKey      = ""
	heartbeatInterval = 10 * time.Second
	// heartbeatMissed is how long after the last beat the loop is called stuck. It is longer than any
	// reconcile of a node may take, so then no worker has come back.
	heartbeatMissed = 2 * time.Minute
)

// heartbeat shows that workers still take keys from the queue, and come back from them. One that is slow, and a
// queue that is long, are no reason for a restart.
type heartbeat struct {
	mu sync.Mutex
	// last is the time when the last beat was; zero while none are due.
	last time.Time
}

func (h *heartbeat) run(ctx context.Context, c clock.WithTicker, add func(string)) {
	h.set(c.Now())
	defer h.set(time.Time{})
	ticker := c.NewTicker(heartbeatInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
			add(heartbeatKey)
		}
	}
}

func (h *heartbeat) set(last time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = last
}

// beat notes that a worker has taken a key from the queue, or has come back from one.
func (h *heartbeat) beat(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.last.IsZero() {
		h.last = now
	}
}

func (h *heartbeat) missed(now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if silent := now.Sub(h.last); !h.last.IsZero() && silent > heartbeatMissed {
		return fmt.Errorf("the drainer's loop has not ticked for %s", silent.Round(time.Second))
	}
	return nil
}
