// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Eviction is one pod that is to be removed from its node.
type Eviction struct {
	// Pod is the pod as the watch shows it.
	Pod *corev1.Pod
	// GracePeriodSeconds is how long the pod gets to stop. Nil: the pod's own.
	GracePeriodSeconds *int64
	// Force has the pod deleted, whatever its budgets say.
	Force bool
}

// Wanted is what one node wants.
type Wanted struct {
	// Evictions are the pods that are to be removed now, in the order in which they are to go.
	Evictions []Eviction
	// ToGo is how many pods are still to be evicted until the node is empty, those included
	// whose turn has not come, but not those that are blocked for good.
	ToGo int
	// Pods are all pods of the node. What is known of others of its pods is forgotten.
	Pods []*corev1.Pod
}

// nodeQueue is what one node wants evicted.
type nodeQueue struct {
	// sequence orders the nodes by when their drain began.
	sequence int
	toGo     int
	// served is when an eviction of the node's was posted last, or the drain began.
	served    time.Time
	evictions []*queuedEviction
}

func newQueue(evictions []Eviction) []*queuedEviction {
	queue := make([]*queuedEviction, 0, len(evictions))
	for _, e := range evictions {
		queue = append(queue, &queuedEviction{Eviction: e, selection: -1})
	}
	return queue
}

// Want replaces what is to be evicted from the node.
func (d *Dispatcher) Want(node string, wanted Wanted) {
	d.mu.Lock()
	defer d.mu.Unlock()
	queue := d.nodes[node]
	if queue == nil {
		d.sequence++
		queue = &nodeQueue{sequence: d.sequence, served: d.clock.Now()}
		d.nodes[node] = queue
	}
	d.forget(node, wanted.Pods)
	queue.toGo, queue.evictions = wanted.ToGo, newQueue(wanted.Evictions)
	for _, e := range queue.evictions {
		d.attempts[node][e.Pod.UID].see(e.Pod)
	}
	d.nudge()
}

// Cancel takes the node's pods out of the queue and forgets what is known of them. A request under
// way is let finish.
func (d *Dispatcher) Cancel(node string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.nodes, node)
	d.forget(node, nil)
}

// Pause has no further pod of the node posted until Want is called again. What is known of its
// pods stays known.
func (d *Dispatcher) Pause(node string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if queue := d.nodes[node]; queue != nil {
		queue.evictions = nil
	}
}

// Attempts returns what became of the requests for the pods of the node, by their UIDs.
func (d *Dispatcher) Attempts(node string) map[types.UID]Attempt {
	d.mu.Lock()
	defer d.mu.Unlock()
	attempts := make(map[types.UID]Attempt, len(d.attempts[node]))
	for uid, tried := range d.attempts[node] {
		attempts[uid] = *tried
	}
	return attempts
}

// attempt returns the record of the pod's requests, a new one if there is none. The caller holds
// the lock.
func (d *Dispatcher) attempt(node string, pod *corev1.Pod) *Attempt {
	if d.attempts[node] == nil {
		d.attempts[node] = map[types.UID]*Attempt{}
	}
	if d.attempts[node][pod.UID] == nil {
		d.attempts[node][pod.UID] = &Attempt{}
	}
	return d.attempts[node][pod.UID]
}

// forget drops the records of the node's pods that are not present. The caller holds the lock.
func (d *Dispatcher) forget(node string, present []*corev1.Pod) {
	known := d.attempts[node]
	kept := make(map[types.UID]*Attempt, len(known))
	for _, pod := range present {
		if tried := known[pod.UID]; tried != nil {
			kept[pod.UID] = tried
		}
	}
	d.attempts[node] = kept
	if len(kept) == 0 {
		delete(d.attempts, node)
	}
}
