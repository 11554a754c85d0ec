// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"hash/fnv"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// WriteInterval is the least time between two writes of one object, in the long run.
	WriteInterval = time.Second
	// WriteBurst is how many writes an urgent change may be ahead of that: a drain that is done
	// must not wait to say so.
	WriteBurst = 2
)

// WriteLimit spaces the writes of one object.
type WriteLimit struct{ next time.Time }

// Wait is how long to wait before a write; zero when it may be made now.
func (l WriteLimit) Wait(urgent bool, now time.Time) time.Duration {
	allowed := l.next
	if urgent {
		allowed = allowed.Add(-WriteBurst * WriteInterval)
	}
	return max(allowed.Sub(now), 0)
}

// Wrote notes a write.
func (l *WriteLimit) Wrote(now time.Time) {
	if l.next.Before(now) {
		l.next = now
	}
	l.next = l.next.Add(WriteInterval)
}

// waitOf is wait for the status of the hold, of which nothing was written before: a while after its
// creation.
func (l *WriteLimit) waitOf(h Hold, urgent bool, now time.Time) time.Duration {
	if l.next.IsZero() {
		l.next = h.CreationTimestamp.Add(WriteInterval + spread(h.UID, WriteInterval))
	}
	return l.Wait(urgent, now)
}

// UnsureLasts is how long the cache may be behind a write that failed. Such a write may have succeeded
// all the same, and no event wakes the node for a change of a status.
const UnsureLasts = 10 * time.Second

// statusWrites spaces the writes of one hold's status, and keeps what waits to be written.
type statusWrites struct {
	limit WriteLimit
	// unwritten is a status that was worked out for this version of the hold and could not be written
	// yet; nil when there is none. The next one goes on from it, so that nothing is lost that happened
	// in between.
	unwritten *v1beta1.NodeMaintenanceStatus
	version   string
	// unsureUntil is until when the cache may show a status that was replaced: a write failed, and
	// may have been made all the same.
	unsureUntil time.Time
}

// present is what the status of the hold says by now: the unwritten one if it was worked out from
// this version of the hold, else the one that was told last.
func (w *statusWrites) present(maintenance *v1beta1.NodeMaintenance, told v1beta1.NodeMaintenanceStatus) v1beta1.NodeMaintenanceStatus {
	if w.unwritten != nil && w.version == maintenance.ResourceVersion {
		return *w.unwritten
	}
	return told
}

// Next records what the status is to say. It says whether to write that now, and if not, when to look
// again. A status that says Drained is not kept while it waits to be written. Nobody has seen it, so if
// pods come first, the drain goes on.
func (w *statusWrites) Next(h Hold, status v1beta1.NodeMaintenanceStatus, urgent bool, now time.Time) (write bool, again time.Duration) {
	waited := w.unwritten != nil
	w.unwritten, w.version = nil, h.ResourceVersion
	if SameStatus(h.Status, status) && (waited || h.Status.LastUpdate.Equal(status.LastUpdate)) {
		return false, max(w.unsureUntil.Sub(now), 0)
	}
	if !Drained(status) || Drained(h.Status) {
		w.unwritten = &status
	}
	again = w.limit.waitOf(h, urgent, now)
	return again == 0, again
}

// Wrote notes that the status was written.
func (w *statusWrites) Wrote(now time.Time) {
	w.unwritten = nil
	w.limit.Wrote(now)
}

// Unsure notes that a write has failed, and may have been made all the same.
func (w *statusWrites) Unsure(now time.Time) { w.unsureUntil = now.Add(UnsureLasts) }

// spread is a time below over that differs from hold to hold: creation times have whole seconds,
// and what many holds say that were created in one second need not be written at one moment.
func spread(uid types.UID, over time.Duration) time.Duration {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(uid)) // never fails
	return over * time.Duration(hash.Sum32()%1000) / 1000
}

// SlowInterval is the least time between two writes of what nobody has to know at once, such as the numbers that a
// waiting hold shows: each start of another node changes those of the whole queue.
const SlowInterval = time.Minute

// SlowLimit spaces such writes of one object.
type SlowLimit struct{ next time.Time }

// begin has a process that has just begun to lead wait for a while. It differs from object to object.
func (l *SlowLimit) begin(uid types.UID, now time.Time) {
	if l.next.IsZero() {
		l.next = now.Add(spread(uid, SlowInterval))
	}
}

// Wait is how long to wait before a write; zero when it may be made now.
func (l *SlowLimit) Wait(now time.Time) time.Duration { return max(l.next.Sub(now), 0) }

// Wrote notes a write.
func (l *SlowLimit) Wrote(now time.Time) { l.next = now.Add(SlowInterval) }
