// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/nodemaintenance"
)

const (
	// writeBurstBytes is what a user may write at once: 4,000 holds of 2 KiB, or 128 of the largest.
	writeBurstBytes = 8 << 20
	// writeBytesPerSecond is what a user may write after that: 128 holds of 2 KiB, or 4 of the largest.
	// The store throws old versions away faster.
	writeBytesPerSecond = 256 << 10
	// writeBucketLife is how long a bucket is kept that nobody takes from. It is full again before.
	writeBucketLife = time.Minute
	// maxWriteBuckets bounds the memory for users who have just written. One whose bucket is forgotten
	// early gets a full one.
	maxWriteBuckets = 1 << 14
)

// writeBound bounds how many bytes each user writes in a time. The library's fair queueing does not:
// it counts requests.
type writeBound struct {
	clock   clock.PassiveClock
	mu      sync.Mutex
	buckets *cache.LRUExpireCache // of *rate.Limiter, by user
}

func newWriteBound(clock clock.PassiveClock) *writeBound {
	return &writeBound{clock: clock, buckets: cache.NewLRUExpireCacheWithClock(maxWriteBuckets, clock)}
}

// take takes the bytes of a write from the user's bucket. If there are too few, it takes none, and
// returns after which time there will be enough.
func (b *writeBound) take(user string, bytes int) (wait time.Duration) {
	b.mu.Lock() // so that nobody finds a bucket empty because of a reservation that is canceled
	defer b.mu.Unlock()
	now := b.clock.Now()
	reservation := b.bucket(user).ReserveN(now, min(bytes, writeBurstBytes))
	if wait = reservation.DelayFrom(now); wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

// bucket is called with the lock held.
func (b *writeBound) bucket(user string) *rate.Limiter {
	known, found := b.buckets.Get(user)
	if !found {
		known = rate.NewLimiter(writeBytesPerSecond, writeBurstBytes)
	}
	b.buckets.Add(user, known, writeBucketLife)
	return known.(*rate.Limiter)
}

// tooMuch is the error for a user who has to wait. Clients wait as long as it says, and try again.
func tooMuch(user string, hold *maintenance.NodeMaintenance, bytes int, wait time.Duration) error {
	seconds := int(math.Ceil(wait.Seconds()))
	resource := maintenance.Resource(nodemaintenance.Plural)
	refusal := apierrors.NewTooManyRequests(fmt.Sprintf("%s %q was not written: it has %d bytes, and user %q has written too many: "+
		"each user may write %d MiB at once, and %d KiB per second after that; try again in %d seconds",
		resource, hold.Name, bytes, user, writeBurstBytes>>20, writeBytesPerSecond>>10, seconds), seconds)
	refusal.ErrStatus.Details = &metav1.StatusDetails{
		Group: resource.Group, Kind: resource.Resource, Name: hold.Name, RetryAfterSeconds: int32(seconds),
	}
	return refusal
}
