// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"hash/fnv"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// writeInterval is the least time between two writes of one object, in the long run.
	writeInterval = time.Second
	// writeBurst is how many writes an urgent change may be ahead of that: a drain that is done
	// must not wait to say so.
	writeBurst = 2
)

// writeLimit spaces the writes of one object.
type writeLimit struct{ next time.Time }

// wait is how long to wait before a write; zero when it may be made now.
func (l writeLimit) wait(urgent bool, now time.Time) time.Duration {
	allowed := l.next
	if urgent {
		allowed = allowed.Add(-writeBurst * writeInterval)
	}
	return max(allowed.Sub(now), 0)
}

func (l *writeLimit) wrote(now time.Time) {
	if l.next.Before(now) {
		l.next = now
	}
	l.next = l.next.Add(writeInterval)
}

// waitOf is wait for the status of the hold, of which nothing was written before: a while after its
// creation.
func (l *writeLimit) waitOf(h hold, urgent bool, now time.Time) time.Duration {
	if l.next.IsZero() {
		l.next = h.CreationTimestamp.Add(writeInterval + spread(h.UID, writeInterval))
	}
	return l.wait(urgent, now)
}

// spread is a time below over that differs from hold to hold: creation times have whole seconds,
// and what many holds say that were created in one second need not be written at one moment.
func spread(uid types.UID, over time.Duration) time.Duration {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(uid)) // never fails
	return over * time.Duration(hash.Sum32()%1000) / 1000
}

// slowInterval is the least time between two writes of what nobody has to know at once, such as the numbers that a
// waiting hold shows: each start of another node changes those of the whole queue.
const slowInterval = time.Minute

// slowLimit spaces such writes of one object.
type slowLimit struct{ next time.Time }

// begin has a process that has just begun to lead wait for a while. It differs from object to object.
func (l *slowLimit) begin(uid types.UID, now time.Time) {
	if l.next.IsZero() {
		l.next = now.Add(spread(uid, slowInterval))
	}
}

// wait is how long to wait before a write; zero when it may be made now.
func (l *slowLimit) wait(now time.Time) time.Duration { return max(l.next.Sub(now), 0) }

func (l *slowLimit) wrote(now time.Time) { l.next = now.Add(slowInterval) }
