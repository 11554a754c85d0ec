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
	// Force says that the pod is deleted instead of evicted, whatever its disruption budgets say. With a grace period of
	// 0, that is tried also after its eviction was accepted.
	Force bool
	// Asks says that the eviction is posted even while a budget forbids it: a webhook sees it before the
	// budget does, and moves the pod by itself.
	Asks bool
}

// removes says that the pod is removed at once, although it may still run: it was evicted or deleted before.
func (e Eviction) removes() bool {
	return e.Force && e.GracePeriodSeconds != nil && *e.GracePeriodSeconds == 0
}

// Wanted is what is to be evicted from one node.
type Wanted struct {
	// Evictions are the pods that are to be removed now, in the order in which they are to go.
	Evictions []Eviction
	// ToGo counts the pods that are still to be evicted until the node is empty. It includes pods whose
	// turn has not come, but no pods that are blocked for good.
	ToGo int
	// Pods are all pods of the node. Attempts for pods that are not among them are forgotten.
	Pods []*corev1.Pod
}

// nodeQueue has the pods that are to be evicted from one node.
type nodeQueue struct {
	// sequence orders the nodes by when their drain began.
	sequence int
	toGo     int
	// served is the time when the last request for one of the node's pods was made that no budget forbade; before
	// the first, when the drain began.
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

// Cancel drops the node's queue, and forgets the attempts for its pods. Requests under way are not
// cancelled.
func (d *Dispatcher) Cancel(node string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.nodes, node)
	d.forget(node, nil)
}

// Pause stops the posting for the node until Want is called again. The attempts for its pods are kept.
func (d *Dispatcher) Pause(node string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if queue := d.nodes[node]; queue != nil {
		queue.evictions = nil
	}
}

// Attempts returns a copy of the attempts for the node's pods, by UID.
func (d *Dispatcher) Attempts(node string) map[types.UID]Attempt {
	d.mu.Lock()
	defer d.mu.Unlock()
	attempts := make(map[types.UID]Attempt, len(d.attempts[node]))
	for uid, tried := range d.attempts[node] {
		attempts[uid] = *tried
	}
	return attempts
}

// attempt returns the pod's attempt, a new one if there is none. The caller holds the lock.
func (d *Dispatcher) attempt(node string, pod *corev1.Pod) *Attempt {
	if d.attempts[node] == nil {
		d.attempts[node] = map[types.UID]*Attempt{}
	}
	if d.attempts[node][pod.UID] == nil {
		d.attempts[node][pod.UID] = &Attempt{}
	}
	return d.attempts[node][pod.UID]
}

// forget drops the attempts for pods of the node that are not present. The caller holds the lock.
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
