// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// stand is one candidacy for the lease, with at most one term of leading.
type stand struct {
	// stop ends the candidacy, and cancels the work of its term.
	stop context.CancelFunc
	// failed says that the work ended by itself, and unsure what of it may still be under way. They may be read after wait.
	failed bool
	unsure error

	mu sync.Mutex
	// over says that no work may begin any more.
	over bool
	// working is closed when the work has ended; nil while there is none.
	working chan struct{}
	// canceled is the time when the work was canceled that has not ended yet; zero while there is none.
	canceled time.Time
}

// begin says whether the work may begin. If so, end must be called.
func (s *stand) begin(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || ctx.Err() != nil {
		return false
	}
	s.working = make(chan struct{})
	return true
}

// cancel notes when the work was canceled.
func (s *stand) cancel(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working != nil {
		s.canceled = now
	}
}

// end notes that the work has ended.
func (s *stand) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.working)
	s.working, s.canceled = nil, time.Time{}
}

// wait lets no work begin any more, and waits until what has begun has ended. It fails when ctx is done first.
func (s *stand) wait(ctx context.Context) error {
	s.mu.Lock()
	s.over = true
	working := s.working
	s.mu.Unlock()
	if working == nil {
		return nil
	}
	select {
	case <-working:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the work has not ended yet: %w", ctx.Err())
	}
}

// lateness is how long ago work was canceled that has not ended yet; zero if there is none.
func (s *stand) lateness(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.canceled.IsZero() {
		return 0
	}
	return now.Sub(s.canceled)
}
