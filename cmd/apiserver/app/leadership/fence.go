// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// ErrNotLeading is the reason why a write was refused: this replica does not lead.
var ErrNotLeading = errors.New("this replica does not lead")

// Why a term ends.
var (
	errNotRenewed = errors.New("the lease was not renewed in time")
	errTaken      = errors.New("another replica holds the lease")
	errStopped    = errors.New("this replica was to stop leading")
	errWorkEnded  = errors.New("the work has ended")
)

// Fence lets writes pass during a term of leading, and only as long as the lease was renewed recently. See Wrap.
type Fence struct {
	clock clock.PassiveClock
	// lasts is how long after the start of a successful renewal writes may pass.
	lasts time.Duration

	mu      sync.Mutex
	renewed time.Time
	// over is closed when the term is over; nil while there is none.
	over chan struct{}
	// cause is the reason why the last term is over.
	cause error
}

// renew notes a successful renewal of the lease. at is when its request began: the next holder counts
// from a later moment.
func (f *Fence) renew(at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.renewed = at
}

// open begins a term. over is closed when the term is over.
func (f *Fence) open() (over <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over, f.cause = make(chan struct{}), nil
	return f.over
}

// close ends the term. It does nothing if the term is over.
func (f *Fence) close(cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end(cause)
}

func (f *Fence) end(cause error) {
	if f.over != nil {
		close(f.over)
		f.over, f.cause = nil, cause
	}
}

// why is the reason why the last term is over; nil before the first, and during a term.
func (f *Fence) why() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cause
}

// check says whether a write may pass now; if so, it returns what is closed when the term is over. A term
// whose lease is too old ends.
func (f *Fence) check() (over <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left() <= 0 {
		f.end(errNotRenewed)
	}
	switch {
	case f.over != nil:
		return f.over, nil
	case f.cause != nil:
		return nil, fmt.Errorf("%w: %w", ErrNotLeading, f.cause)
	default:
		return nil, ErrNotLeading
	}
}

// left is how much longer the last renewal counts; not positive if it no longer does.
func (f *Fence) left() time.Duration { return f.lasts - age(f.renewed, f.clock.Now()) }

// expireLook is how often at least expire looks at the clocks: timers stand still while the machine is suspended.
const expireLook = time.Second

// expire ends the term when its lease was not renewed in time, and returns when the term is over.
func (f *Fence) expire(c clock.WithTicker) {
	for {
		over, err := f.check()
		if err != nil {
			return
		}
		f.mu.Lock()
		timer := c.NewTimer(min(f.left(), expireLook))
		f.mu.Unlock()
		select {
		case <-over:
			timer.Stop()
			return
		case <-timer.C():
		}
	}
}

// age is how long ago a moment was, by the clock that says more. The monotonic clock stops while the machine is
// suspended, and the wall clock may be set back.
func age(since, now time.Time) time.Duration {
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// whileTerm returns a context that also ends when the term is over. stop must be called.
func whileTerm(ctx context.Context, over <-chan struct{}) (joined context.Context, stop func()) {
	joined, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-over:
			cancel(ErrNotLeading)
		case <-joined.Done():
		}
	})
	return joined, func() {
		cancel(nil)
		watching.Wait()
	}
}
