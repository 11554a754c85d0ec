// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"cmp"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Budgets are the disruption budgets of the cluster as the watch shows them. They also keep the room
// reserved that our own evictions have taken and that no status shows yet. Use NewBudgets.
type Budgets struct {
	mu sync.RWMutex
	// byNamespace has the budgets of each namespace, sorted by name. A slice in it is never
	// changed, only replaced, so that a Snapshot can share it.
	byNamespace map[string][]*Budget
	// selection goes up by one whenever a budget may select other pods than before. It tells a
	// queuedEviction when to look up its budgets again.
	selection int
	// reserved is the room that our evictions take, by budget and name of the pod.
	reserved map[types.NamespacedName]map[string]reservation
	// refused has the last refusal of a budget whose status showed room.
	refused map[types.NamespacedName]refusal
	// changed is called after a change; nil while no dispatcher runs.
	changed func(budgetChange)
}

// budgetChange is a new state of a budget.
type budgetChange struct {
	name types.NamespacedName
	// selection says that the budget may select other pods than before.
	selection bool
	// same says that plans come out the same as before.
	same bool
}

// NewBudgets returns a set of no budgets.
func NewBudgets() *Budgets {
	return &Budgets{
		byNamespace: map[string][]*Budget{},
		reserved:    map[types.NamespacedName]map[string]reservation{},
		refused:     map[types.NamespacedName]refusal{},
	}
}

// Set records a state of a budget that the watch showed at now.
func (b *Budgets) Set(pdb *policyv1.PodDisruptionBudget, now time.Time) { b.put(pdb, true, now) }

// refresh records a state of a budget that was read from the API server itself. It does nothing when
// the watch does not show the budget, which may have been deleted.
func (b *Budgets) refresh(pdb *policyv1.PodDisruptionBudget, now time.Time) { b.put(pdb, false, now) }

func (b *Budgets) put(pdb *policyv1.PodDisruptionBudget, add bool, now time.Time) {
	change, tell := b.take(newBudget(pdb), pdb, add, now)
	tell(change)
}

// take records a state of a budget, unless a later one is known. It returns what changed, and the
// function to tell it to.
func (b *Budgets) take(next *Budget, pdb *policyv1.PodDisruptionBudget, add bool, now time.Time) (budgetChange, func(budgetChange)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.named(next.Name)
	next.refreshed = !add
	// What the watch shows counts, even if its versions go back: the cluster's etcd was restored.
	if (last == nil && !add) || ((!add || (last != nil && last.refreshed)) && next.olderThan(last)) {
		return budgetChange{}, func(budgetChange) {}
	}
	if next.Impossible() {
		next.impossibleSince = impossibleSince(pdb, last, now)
	}
	change := budgetChange{name: next.Name, same: next.saysTheSame(last)}
	change.selection = last == nil || last.selector.String() != next.selector.String()
	if change.selection {
		b.selection++
	}
	b.replace(next)
	b.seen(next)
	return change, b.tell()
}

// Remove forgets a budget that is gone.
func (b *Budgets) Remove(name types.NamespacedName) {
	b.mu.Lock()
	b.selection++
	b.byNamespace[name.Namespace] = slices.DeleteFunc(slices.Clone(b.byNamespace[name.Namespace]), func(known *Budget) bool {
		return known.Name == name
	})
	if len(b.byNamespace[name.Namespace]) == 0 {
		delete(b.byNamespace, name.Namespace)
	}
	delete(b.reserved, name)
	delete(b.refused, name)
	tell := b.tell()
	b.mu.Unlock()
	tell(budgetChange{name: name, selection: true})
}

// observe calls changed after each change, until stop is called.
func (b *Budgets) observe(changed func(budgetChange)) (stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changed = changed
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.changed = nil
	}
}

// tell returns the function to call after a change. The caller holds the lock now, and must not hold it
// when it calls that function.
func (b *Budgets) tell() func(budgetChange) {
	if b.changed == nil {
		return func(budgetChange) {}
	}
	return b.changed
}

// replace puts a new state of a budget in the place of the last one, or adds it. The caller holds the
// lock.
func (b *Budgets) replace(next *Budget) {
	known := slices.Clone(b.byNamespace[next.Name.Namespace])
	at, found := find(known, next.Name.Name)
	if found {
		known[at] = next
	} else {
		known = slices.Insert(known, at, next)
	}
	b.byNamespace[next.Name.Namespace] = known
}

// named returns the budget of that name; nil when there is none. The caller holds the lock.
func (b *Budgets) named(name types.NamespacedName) *Budget {
	known := b.byNamespace[name.Namespace]
	if at, found := find(known, name.Name); found {
		return known[at]
	}
	return nil
}

func find(sorted []*Budget, name string) (at int, found bool) {
	return slices.BinarySearchFunc(sorted, name, func(b *Budget, name string) int { return cmp.Compare(b.Name.Name, name) })
}

// selecting returns those of the budgets of the pod's namespace that select the pod.
func selecting(budgets []*Budget, pod *corev1.Pod) []*Budget {
	var found []*Budget
	for _, candidate := range budgets {
		if candidate.selector.Matches(labels.Set(pod.Labels)) {
			found = append(found, candidate)
		}
	}
	return found
}

// Snapshot shows the budgets of some namespaces at one moment, and the room that each of them had. The
// zero value has no budgets.
type Snapshot struct {
	byNamespace map[string][]*Budget
	room        map[types.NamespacedName]int
}

// Snapshot returns the budgets of the pods' namespaces, as they are at now.
func (b *Budgets) Snapshot(pods []*corev1.Pod, now time.Time) Snapshot {
	s := Snapshot{byNamespace: map[string][]*Budget{}, room: map[types.NamespacedName]int{}}
	namespaces := sets.New[string]()
	for _, pod := range pods {
		namespaces.Insert(pod.Namespace)
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	for namespace := range namespaces {
		known := b.byNamespace[namespace]
		s.byNamespace[namespace] = known
		for _, budget := range known {
			s.room[budget.Name] = b.room(budget, now)
		}
	}
	return s
}

// Selecting returns the budgets that select the pod, sorted by name.
func (s Snapshot) Selecting(pod *corev1.Pod) []*Budget {
	return selecting(s.byNamespace[pod.Namespace], pod)
}

// Room is how many more pods the budget lets go.
func (s Snapshot) Room(of *Budget) int { return s.room[of.Name] }
