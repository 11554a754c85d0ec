// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// queuedEviction remembers which budgets select the pod. The dispatcher goes through its queues at
// every change of any budget, but which budgets select a pod hardly ever changes.
type queuedEviction struct {
	Eviction
	budgets []types.NamespacedName
	// selection is the Budgets.selection at which budgets were looked up; -1: not yet.
	selection int
}

// budgetsOf returns the budgets that select the queued pod, as they are now.
func (b *Budgets) budgetsOf(e *queuedEviction) []*Budget {
	b.mu.RLock()
	defer b.mu.RUnlock()
	b.reselect(e)
	found := make([]*Budget, 0, len(e.budgets))
	for _, name := range e.budgets {
		if current := b.named(name); current != nil {
			found = append(found, current)
		}
	}
	return found
}

// selects says whether the budget of that name selects the queued pod.
func (b *Budgets) selects(name types.NamespacedName, e *queuedEviction) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	b.reselect(e)
	return slices.Contains(e.budgets, name)
}

// reselect looks up again which budgets select the queued pod, if that may have changed. The caller
// holds the lock.
func (b *Budgets) reselect(e *queuedEviction) {
	if e.selection == b.selection {
		return
	}
	e.budgets, e.selection = nil, b.selection
	for _, budget := range selecting(b.byNamespace[e.Pod.Namespace], e.Pod) {
		e.budgets = append(e.budgets, budget.Name)
	}
}

// affectedBy returns the nodes with queued pods that the change may concern: pods that the budget
// selects or, if it may select other pods than before, all pods of its namespace.
func (d *Dispatcher) affectedBy(change budgetChange) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var nodes []string
	for node, queue := range d.nodes {
		if slices.ContainsFunc(queue.evictions, func(e *queuedEviction) bool {
			return e.Pod.Namespace == change.name.Namespace && (change.selection || d.budgets.selects(change.name, e))
		}) {
			nodes = append(nodes, node)
		}
	}
	return nodes
}
