// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
)

var (
	errDeleted = errors.New("the lease was deleted while another replica held it: its term must be over first")
	errNotHeld = errors.New("the lease is not released, since this replica does not hold it any more")
	errHeld    = errors.New("the lease is not taken, since the term of another replica may not be over")
)

// lock is the Lease as the library's elector sees it. It closes the gaps that the library leaves; see the
// documentation of the package.
type lock struct {
	*resourcelock.LeaseLock
	// former begins the identities of processes that have certainly ended; empty: of none this is certain.
	former string
	clock  clock.PassiveClock
	lasts  time.Duration
	// renewed is called after each successful write of this replica as the holder, with the time at which its
	// request began.
	renewed func(at time.Time)
	// lost is called when another one has taken the lease from this replica.
	lost func()
	// finish stops the work and waits for its end. It fails if that takes too long.
	finish func(ctx context.Context) error
	// observed is told when the lease was seen to change.
	observed chan struct{}

	// mu is held during each request but not while finish waits.
	mu sync.Mutex
	// held says that this replica held the lease when it last heard of it.
	held bool
	// seen is the lease as it was last read, and since is when it was first seen so. seen is empty since this
	// replica last wrote.
	seen  string
	since time.Time
	// holder is who held it then, and term is for how long.
	holder string
	term   time.Duration
	// released says that nobody held it then, and handedOver that this was so when this replica took it.
	released, handedOver bool
	// again has the library ask for the lease at once.
	again func()
}

// Get implements resourcelock.Interface. No lease counts for longer than this replica's own would: somebody may
// have written one by hand, and all replicas have the same duration.
func (l *lock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	record, raw, err := l.LeaseLock.Get(ctx)
	if err != nil {
		l.released = false
		if apierrors.IsNotFound(err) && l.termOfOther() {
			err = errDeleted
		}
		return nil, nil, err
	}
	l.released = record.HolderIdentity == ""
	if l.former != "" && record.HolderIdentity != l.Identity() && strings.HasPrefix(record.HolderIdentity, l.former) {
		record.HolderIdentity = ""
	}
	record.LeaseDurationSeconds = min(record.LeaseDurationSeconds, int(l.lasts/time.Second))
	l.see(string(raw), record)
	return record, raw, nil
}

// see notes what the lease says. The caller holds the lock.
func (l *lock) see(raw string, record *resourcelock.LeaderElectionRecord) {
	if raw == l.seen {
		return
	}
	l.seen, l.since, l.holder = raw, l.clock.Now(), record.HolderIdentity
	l.term = time.Duration(record.LeaseDurationSeconds) * time.Second
	if l.holder != l.Identity() {
		l.lose()
	}
	select {
	case l.observed <- struct{}{}:
	default:
	}
}

// termOfOther says whether the term of another replica may not be over. The caller holds the lock.
func (l *lock) termOfOther() bool {
	return l.holder != "" && l.holder != l.Identity() && l.clock.Now().Sub(l.since) < l.term
}

// lose notes that this replica does not hold the lease any more. The caller holds the lock.
func (l *lock) lose() {
	if l.held {
		l.held = false
		l.lost()
	}
}

// Create implements resourcelock.Interface.
func (l *lock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.hold(func() error { return l.LeaseLock.Create(ctx, record) })
}

// Update implements resourcelock.Interface. An empty holder is a release.
func (l *lock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if record.HolderIdentity != "" {
		return l.hold(func() error { return l.LeaseLock.Update(ctx, record) })
	}
	if err := l.finish(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder != l.Identity() {
		return errNotHeld
	}
	l.held = false
	return l.LeaseLock.Update(ctx, record)
}

// hold writes this replica as the holder, unless another one is. The library may still believe that it leads,
// by a clock that stood still while the machine was suspended, and has the present version of the lease since it
// read it to release it: so it would overwrite the lease of its successor.
func (l *lock) hold(write func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.termOfOther() {
		return errHeld
	}
	began := l.clock.Now()
	if err := write(); err != nil {
		return err
	}
	if !l.held {
		l.handedOver = l.released
	}
	l.held, l.holder, l.seen = true, l.Identity(), ""
	l.renewed(began)
	return nil
}

// retries sets how the library is made to ask for the lease at once.
func (l *lock) retries(again func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.again = again
}

// retry has the library ask for the lease at once, unless this replica holds it. It waits for a request that is
// under way.
func (l *lock) retry() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.held && l.again != nil {
		l.again()
	}
}
