// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// passedOverAfter is how long a node may wait while others, nearer to empty, get the room of its
// budgets.
const passedOverAfter = 2 * time.Minute

// eviction is one pod that a node's plan wants evicted.
type eviction struct {
	pod         *corev1.Pod
	gracePeriod *int64
	// force has the pod deleted, whatever its budgets say.
	force bool
}

// nodeQueue is what one node wants evicted.
type nodeQueue struct {
	// sequence orders the nodes by when their drain began.
	sequence int
	// toGo is how far the node is from being empty: its pods still to be evicted.
	toGo int
	// served is when an eviction of the node's was posted last, or the drain began.
	served    time.Time
	evictions []*queuedEviction
}

// queuedEviction remembers which budgets select the pod: the queue is gone through at every
// change of any budget, but which budgets select which pods hardly ever changes.
type queuedEviction struct {
	eviction
	budgets   []types.NamespacedName
	selection int
}

func (e *queuedEviction) budgetsIn(book *budgetBook) []*budget {
	if now := book.selectionNow(); e.selection != now {
		e.budgets, e.selection = nil, now
		for _, b := range book.of(e.pod) {
			e.budgets = append(e.budgets, b.key)
		}
	}
	if len(e.budgets) == 0 {
		return nil
	}
	return book.named(e.budgets)
}

// want replaces what is to be evicted from the node. toGo is how far the node is from being
// empty. present are the node's pods; what is known of others of its pods is forgotten.
func (d *dispatcher) want(node string, evictions []eviction, toGo int, present []*corev1.Pod) {
	d.mu.Lock()
	defer d.mu.Unlock()
	queue := d.nodes[node]
	if queue == nil {
		d.sequence++
		queue = &nodeQueue{sequence: d.sequence, served: d.clock.Now()}
		d.nodes[node] = queue
	}
	queue.toGo = toGo
	d.forget(node, present)
	queue.evictions = make([]*queuedEviction, 0, len(evictions))
	for _, e := range evictions {
		queue.evictions = append(queue.evictions, &queuedEviction{eviction: e, selection: -1})
		d.attempts[node][e.pod.UID].changed(e.pod)
	}
	d.nudge()
}

// cancel takes the node's pods out of the queue. A request under way is let finish.
func (d *dispatcher) cancel(node string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.nodes, node)
	d.forget(node, nil)
}

// pause has no further pod of the node posted until want is called again. What is known of its
// pods stays known.
func (d *dispatcher) pause(node string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if queue := d.nodes[node]; queue != nil {
		queue.evictions = nil
	}
}

// waitingIn are the nodes that want pods of the namespace evicted.
func (d *dispatcher) waitingIn(namespace string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var nodes []string
	for node, queue := range d.nodes {
		if slices.ContainsFunc(queue.evictions, func(e *queuedEviction) bool { return e.pod.Namespace == namespace }) {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// inOrder lists the nodes in the order in which they may take the room of a budget, as doc.go
// explains. Every node is looked at each time, so none has to wait for another's pods.
func (d *dispatcher) inOrder(now time.Time) []string {
	nodes := slices.Collect(maps.Keys(d.nodes))
	slices.SortFunc(nodes, func(a, b string) int { return d.nodes[a].compare(d.nodes[b], now) })
	return nodes
}

func (q *nodeQueue) compare(other *nodeQueue, now time.Time) int {
	passed, otherPassed := q.passedOver(now), other.passedOver(now)
	switch {
	case passed != otherPassed:
		return btoi(otherPassed) - btoi(passed)
	case passed:
		return cmp.Compare(q.sequence, other.sequence)
	default:
		return cmp.Or(cmp.Compare(q.toGo, other.toGo), cmp.Compare(q.sequence, other.sequence))
	}
}

func (q *nodeQueue) passedOver(now time.Time) bool { return now.Sub(q.served) >= passedOverAfter }
