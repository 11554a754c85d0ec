// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package promquery

import (
	"context"
	"sync"
	"time"

	"k8s.io/klog/v2"
)

// logInterval is how often the same problem is logged again.
const logInterval = time.Minute

// problemLog logs what messages for users leave out. A query is asked every few seconds, so the same problem is logged
// once in a while only.
type problemLog struct {
	mu sync.Mutex
	// last is the problem that was logged last, and at is when.
	last string
	at   time.Time
}

func (l *problemLog) note(ctx context.Context, query, problem, details string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if problem == l.last && now.Sub(l.at) < logInterval {
		return
	}
	l.last, l.at = problem, now
	klog.FromContext(ctx).Info("Got no result from Prometheus", "query", query, "problem", problem, "details", details)
}
