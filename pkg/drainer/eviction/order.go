// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// passedOverAfter is how long a node may wait while others, nearer to empty, get the room of its
// budgets.
const passedOverAfter = 2 * time.Minute

// inOrder lists the nodes in the order in which they may take the room of a budget, as the package's
// documentation explains. Every node is looked at each time, so none has to wait for another's pods.
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
