// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"
)

// Elector stands for election, again and again, and has work done while it leads. Use New.
type Elector struct {
	config  Config
	fence   *Fence
	lock    *lock
	library *leaderelection.LeaderElector
	work    func(ctx context.Context) error
	// logger is for what Elector logs itself.
	logger klog.Logger

	mu sync.Mutex
	// stand is the present candidacy.
	stand *stand
}

// New returns an Elector that does nothing until Run. It fails if the durations of the configuration do not fit
// each other.
func New(config Config) (*Elector, error) {
	e := &Elector{config: config, lock: config.newLock(), stand: &stand{stop: func() {}}}
	e.fence = &Fence{clock: config.Clock, lasts: config.RenewDeadline}
	e.lock.renewed, e.lock.lost, e.lock.finish = e.fence.renew, func() { e.fence.close(errTaken) }, e.finish
	library, err := e.newLibrary()
	if err != nil {
		return nil, fmt.Errorf("could not set up the leader election: %w", err)
	}
	e.library = library
	return e, nil
}

// Fence returns what the writes of the work must pass.
func (e *Elector) Fence() *Fence { return e.fence }

// HandedOver says whether the lease that this replica holds was given up by whoever had it before: nothing is under way
// any more of what that one was doing.
func (e *Elector) HandedOver() bool {
	e.lock.mu.Lock()
	defer e.lock.mu.Unlock()
	return e.lock.handedOver
}

// Run stands for election until ctx is done, and has the work done whenever this replica leads. The work must
// end soon after its context is done. If it then fails, something of it may still be under way, and the lease is not
// released but runs out. When Run returns, the work has ended, and the lease is released if that
// was possible. It is to be called once.
func (e *Elector) Run(ctx context.Context, work func(context.Context) error) {
	callers := klog.FromContext(ctx)
	e.work = func(ctx context.Context) error { return work(klog.NewContext(ctx, callers)) }
	e.logger = callers.WithName("leadership")
	ctx = klog.NewContext(ctx, e.logger)
	defer e.lock.record(ctx, e.config.Client)()
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { e.watch(ctx) })
	for ctx.Err() == nil {
		if failed := e.runOnce(ctx); failed {
			e.pause(ctx)
		}
	}
}

// runOnce stands for election once: until a term is over, ctx is done, or the library is to ask for the lease at
// once. It says whether the work ended by itself.
func (e *Elector) runOnce(ctx context.Context) (failed bool) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &stand{stop: stop}
	e.mu.Lock()
	e.stand = s
	e.mu.Unlock()
	e.lock.retries(stop)
	e.library.Run(klog.NewContext(ctx, e.logger.V(libraryLevel)))
	e.resetMetric()
	_ = s.wait(context.WithoutCancel(ctx)) // which has no end
	return s.failed
}

// lead has the work done. The library calls it in a goroutine of its own, which runOnce waits for.
func (e *Elector) lead(ctx context.Context) {
	s := e.current()
	if !s.begin(ctx) {
		return
	}
	defer s.end()
	over := e.fence.open()
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { e.fence.expire(e.config.Clock) })
	ctx, stopWork := whileTerm(ctx, over)
	defer stopWork()
	defer context.AfterFunc(ctx, func() { s.cancel(e.config.Clock.Now()) })()
	e.logger.Info("This replica leads", "lease", e.lock.Describe(), "identity", e.config.Identity)
	s.failed, s.unsure = e.do(ctx)
	s.stop()
	e.logger.Info("This replica does not lead any more", "lease", e.lock.Describe(), "cause", e.fence.why())
}

// do does the work, and closes the fence behind it. It says whether the work ended by itself; if not, unsure says what
// of it may still be under way.
func (e *Elector) do(ctx context.Context) (failed bool, unsure error) {
	err := e.work(ctx)
	if ctx.Err() != nil {
		e.fence.close(errStopped)
		return false, err
	}
	e.fence.close(errWorkEnded)
	e.logger.Error(err, "The work of a leader ended by itself")
	return true, nil
}

func (e *Elector) current() *stand {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.stand
}

// finish stops the work of the present term, and waits for its end.
func (e *Elector) finish(ctx context.Context) error {
	s := e.current()
	s.stop()
	if err := s.wait(ctx); err != nil {
		return err
	}
	return s.unsure
}

// tellLeader logs that another replica leads.
func (e *Elector) tellLeader(holder string) {
	if holder != e.config.Identity && holder != "" {
		e.logger.Info("Another replica leads", "lease", e.lock.Describe(), "identity", holder)
	}
}

// pause waits before this replica stands again, so that another one can take the lease.
func (e *Elector) pause(ctx context.Context) {
	timer := e.config.Clock.NewTimer(e.config.RetryPeriod)
	defer timer.Stop()
	select {
	case <-timer.C():
	case <-ctx.Done():
	}
}

// workEndsWithin is how long the work may take to end. After that, a restart may help.
const workEndsWithin = time.Minute

// Healthy says that work goes on long after it should have ended; nil otherwise. That the lease cannot be
// renewed is no reason for a restart. A nil Elector is healthy.
func (e *Elector) Healthy() error {
	if e == nil {
		return nil
	}
	if late := e.current().lateness(e.config.Clock.Now()); late > workEndsWithin {
		return fmt.Errorf("the drainer still works %s after it should have stopped", late.Round(time.Second))
	}
	return nil
}
