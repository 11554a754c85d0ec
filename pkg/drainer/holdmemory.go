// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// holdMemory is what is kept of one hold.
type holdMemory struct {
	// latest is the hold as the answer to our last write showed it. Written by holdWriter. Stale when
	// the cache shows another version. Lost: a write that ends in a conflict.
	latest latest[*v1beta1.NodeMaintenance]
	// said is what the status said when we last wrote it. Written by holdWriter. Stale never: what others
	// write does not count. Lost: it is taken from the store, as far as that is plausible.
	said said
	// writes limits how often the status is written, and keeps a status that waits to be written.
	// Written by holdWriter. Stale with the next version of the hold. Lost: one write sooner, and what
	// happened since the last one is noted a second later.
	writes statusWrites
	// numbers limits how often numbers are written that a waiting hold shows. Written by holdWriter.write.
	// Never stale. Lost: they are up to a minute late once more.
	numbers slowLimit
	// pods counts the pods that the drain moves. Written by drains.progress and holdWriter. Stale with
	// the next drain. Lost: pods that came and went since the last status was written are not counted.
	pods podCount
	// expired is the version in which we deleted the hold because its time was over. Written by
	// holdWriter.deleteExpired. Stale when the cache shows another version. Lost: a delete too many.
	expired string
	// toldBlocked is which blockage an event told of. Written by the reporter. Lost: one more event,
	// if the blockage began after the process started.
	toldBlocked blockage
}

// latest remembers the answer to our own last write of an object for as long as the cache still shows a
// version that it replaced. What was read from the API server itself is recorded like a write. A write
// fails unless it names the present version. So a cache that shows any other version has caught up.
type latest[T metav1.Object] struct {
	replaced []string
	written  T
}

// wrote notes that a write replaced one version of the object with another.
func (l *latest[T]) wrote(replaced string, written T) {
	l.replaced = append(l.replaced, replaced)
	l.written = written
}

// newest returns the newest known version of an object. cached is the version in the cache.
func (l *latest[T]) newest(cached T) T {
	if slices.Contains(l.replaced, cached.GetResourceVersion()) && l.written.GetUID() == cached.GetUID() {
		return l.written
	}
	*l = latest[T]{}
	return cached
}

const (
	// blockedLong is how long a drain must be blocked before an event says so: pods that wait for room
	// of their budget are blocked for a moment each.
	blockedLong = 10 * time.Second
	// blockedAgain is how long the first event about other reasons waits, and blockedMost the later ones: each waits
	// twice as long as the one before. The recorder drops events of objects that have too many.
	blockedAgain, blockedMost = time.Minute, 8 * time.Minute
)

// blockage is one time during which a drain is blocked.
type blockage struct {
	since     metav1.Time
	permanent bool
	// reasons are those of the blockers. Of a node that does not report, its name is one, too.
	reasons sets.Set[string]

	// told is when the last event told of it, and quiet is how long the next one waits if only the reasons change.
	told  time.Time
	quiet time.Duration
}

func newBlockage(blocked metav1.Condition, status v1beta1.NodeMaintenanceStatus) blockage {
	b := blockage{since: blocked.LastTransitionTime, reasons: sets.New[string]()}
	for _, blocker := range status.Blockers {
		b.permanent = b.permanent || blocker.Permanent
		reason := string(blocker.Reason)
		if blocker.Reason == v1beta1.BlockerTerminating {
			reason += blocker.Object
		}
		b.reasons.Insert(reason)
	}
	return b
}

// covers says whether who was told of b knows of the other one.
func (b blockage) covers(other blockage) bool {
	return b.since.Equal(&other.since) && (b.permanent || !other.permanent) && b.reasons.IsSuperset(other.reasons)
}

// due is when an event is to tell of what b has become.
func (b blockage) due(now blockage) time.Time {
	same := b.since.Equal(&now.since)
	switch {
	case now.permanent && (!same || !b.permanent):
		return time.Time{}
	case same:
		return b.told.Add(b.quiet)
	default:
		return now.since.Add(blockedLong)
	}
}
