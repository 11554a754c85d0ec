// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// passedOverAfter is how long a node may go without an eviction before it comes ahead of nodes that are
// nearer to empty.
const passedOverAfter = 2 * time.Minute

// inOrder lists the nodes in the order in which they may take the room of a budget, as the package's
// documentation explains. The dispatcher goes through all of them each time, so no node waits for
// another's pods.
func (d *Dispatcher) inOrder(now time.Time) []string {
	return slices.SortedFunc(maps.Keys(d.nodes), func(a, b string) int { return d.nodes[a].compare(d.nodes[b], now) })
}

func (q *nodeQueue) compare(other *nodeQueue, now time.Time) int {
	passed, otherPassed := q.passedOver(now), other.passedOver(now)
	switch {
	case passed && !otherPassed:
		return -1
	case otherPassed && !passed:
		return 1
	case passed:
		return cmp.Compare(q.sequence, other.sequence)
	default:
		return cmp.Or(cmp.Compare(q.toGo, other.toGo), cmp.Compare(q.sequence, other.sequence))
	}
}

func (q *nodeQueue) passedOver(now time.Time) bool { return now.Sub(q.served) >= passedOverAfter }
