// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import "time"

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
