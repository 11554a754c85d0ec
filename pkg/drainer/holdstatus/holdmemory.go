// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// HoldMemory is what is kept of one hold.
type HoldMemory struct {
	// Latest is the hold as the answer to our last write showed it. Written by holdWriter. Stale when
	// the cache shows another version. Lost: a write that ends in a conflict.
	Latest Latest[*v1beta1.NodeMaintenance]
	// Said is what the status said when we last wrote it. Written by holdWriter. Stale never: what others
	// write does not count. Lost: it is taken from the store, as far as that is plausible.
	Said Said
	// Writes limits how often the status is written, and keeps a status that waits to be written.
	// Written by holdWriter. Stale with the next version of the hold. Lost: one write sooner, and what
	// happened since the last one is noted a second later.
	Writes statusWrites
	// Numbers limits how often numbers are written that a waiting hold shows. Written by holdWriter.write.
	// Never stale. Lost: they are up to a minute late once more.
	Numbers SlowLimit
	// Pods counts the pods that the drain moves. Written by drains.progress and holdWriter. Stale with
	// the next drain. Lost: pods that came and went since the last status was written are not counted.
	Pods podCount
	// Expired is the version in which we deleted the hold because its time was over. Written by
	// holdWriter.deleteExpired. Stale when the cache shows another version. Lost: a delete too many.
	Expired string
	// ToldBlocked is which blockage an event told of. Written by the reporter. Lost: one more event,
	// if the blockage began after the process started.
	ToldBlocked Blockage
}

// Latest remembers the answer to our own last write of an object for as long as the cache still shows a
// version that it replaced. What was read from the API server itself is recorded like a write. A write
// fails unless it names the present version. So a cache that shows any other version has caught up.
type Latest[T metav1.Object] struct {
	replaced []string
	written  T
}

// Wrote notes that a write replaced one version of the object with another.
func (l *Latest[T]) Wrote(replaced string, written T) {
	l.replaced = append(l.replaced, replaced)
	l.written = written
}

// Newest returns the newest known version of an object. cached is the version in the cache.
func (l *Latest[T]) Newest(cached T) T {
	if slices.Contains(l.replaced, cached.GetResourceVersion()) && l.written.GetUID() == cached.GetUID() {
		return l.written
	}
	*l = Latest[T]{}
	return cached
}

const (
	// BlockedLong is how long a drain must be blocked before an event says so: pods that wait for room
	// of their budget are blocked for a moment each.
	BlockedLong = 10 * time.Second
	// BlockedAgain is the time that the first event about other reasons waits. Each later one waits twice as long as the one
	// before. The recorder drops events of objects that have too many.
	BlockedAgain = time.Minute
	// BlockedMost is the longest time that such an event waits.
	BlockedMost = 8 * time.Minute
)

// Blockage is one time during which a drain is blocked.
type Blockage struct {
	Since     metav1.Time
	Permanent bool
	// reasons are those of the blockers. Of a node that does not report, its name is one, too.
	reasons sets.Set[string]

	// Told is the time when the last event told of it, and quiet is how long the next one waits if only the reasons change.
	Told  time.Time
	Quiet time.Duration
}

// NewBlockage returns the blockage that the status tells of.
func NewBlockage(blocked metav1.Condition, status v1beta1.NodeMaintenanceStatus) Blockage {
	b := Blockage{Since: blocked.LastTransitionTime, reasons: sets.New[string]()}
	for _, blocker := range status.Blockers {
		b.Permanent = b.Permanent || blocker.Permanent
		reason := string(blocker.Reason)
		if blocker.Reason == v1beta1.BlockerTerminating {
			reason += blocker.Object
		}
		b.reasons.Insert(reason)
	}
	return b
}

// Covers says whether who was told of b knows of the other one.
func (b Blockage) Covers(other Blockage) bool {
	return b.Since.Equal(&other.Since) && (b.Permanent || !other.Permanent) && b.reasons.IsSuperset(other.reasons)
}

// Due is the time when an event is to tell of what b has become.
func (b Blockage) Due(now Blockage) time.Time {
	same := b.Since.Equal(&now.Since)
	switch {
	case now.Permanent && (!same || !b.Permanent):
		return time.Time{}
	case same:
		return b.Told.Add(b.Quiet)
	default:
		return now.Since.Add(BlockedLong)
	}
}
