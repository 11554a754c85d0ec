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
	// heartbeatKey goes through the queue like a node does; no node has that name.
	heartbeatKey      = ""
	heartbeatInterval = 10 * time.Second
	// heartbeatMissed is how long after the last beat the loop is called stuck. It is longer than any
	// reconcile of a node may take.
	heartbeatMissed = 2 * time.Minute
)

// heartbeat shows that the workers still take keys from the queue.
type heartbeat struct {
	mu   sync.Mutex
	last time.Time
}

func (h *heartbeat) run(ctx context.Context, c clock.WithTicker, add func(string)) {
	h.beat(c.Now())
	defer h.beat(time.Time{})
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

// beat notes the time of a beat; zero means that none are due.
func (h *heartbeat) beat(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = now
}

func (h *heartbeat) missed(now time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if silent := now.Sub(h.last); !h.last.IsZero() && silent > heartbeatMissed {
		return fmt.Errorf("the drainer's loop has not ticked for %s", silent.Round(time.Second))
	}
	return nil
}
