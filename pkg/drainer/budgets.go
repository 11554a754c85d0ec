// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// budgetSteady is how long a budget must look impossible to meet before it is called so:
	// the number of expected pods flickers while pods come and go.
	budgetSteady = 10 * time.Second
	// maxDisruptedPods is how many unconfirmed evictions of one budget the API server allows.
	maxDisruptedPods = 2000
)

// budget is what the engine uses of a PodDisruptionBudget. It is never changed once it is in
// the book.
type budget struct {
	key             types.NamespacedName
	resourceVersion string
	selector        labels.Selector
	alwaysAllow     bool
	// current says that the status speaks of the present spec.
	current  bool
	allowed  int32
	desired  int32
	healthy  int32
	expected int32
	// disrupted are the pods whose evictions the status takes into account already.
	disrupted map[string]metav1.Time
	// syncFailed says why the disruption controller cannot evaluate the budget.
	syncFailed string
	// impossibleSince is since when waiting would not help; zero when it may.
	impossibleSince time.Time
}

func newBudget(pdb *policyv1.PodDisruptionBudget) *budget {
	selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector)
	if err != nil {
		selector = labels.Nothing() // as the API server does
	}
	b := &budget{
		key:             types.NamespacedName{Namespace: pdb.Namespace, Name: pdb.Name},
		resourceVersion: pdb.ResourceVersion,
		selector:        selector,
		current:         pdb.Status.ObservedGeneration >= pdb.Generation,
		allowed:         pdb.Status.DisruptionsAllowed,
		desired:         pdb.Status.DesiredHealthy,
		healthy:         pdb.Status.CurrentHealthy,
		expected:        pdb.Status.ExpectedPods,
		disrupted:       pdb.Status.DisruptedPods,
	}
	if policy := pdb.Spec.UnhealthyPodEvictionPolicy; policy != nil {
		b.alwaysAllow = *policy == policyv1.AlwaysAllow
	}
	condition := apimeta.FindStatusCondition(pdb.Status.Conditions, policyv1.DisruptionAllowedCondition)
	if condition != nil && condition.Status == metav1.ConditionFalse && condition.Reason == policyv1.SyncFailedReason {
		b.syncFailed = condition.Message
		if b.syncFailed == "" {
			b.syncFailed = "no message"
		}
	}
	return b
}

// impossible says whether the budget, as it is now, can never let a healthy pod go.
func (b *budget) impossible() bool {
	return b.syncFailed != "" || (b.current && b.allowed == 0 && b.desired >= b.expected)
}

// permanent says whether the budget has been impossible to meet for long enough to say so, and
// if it may yet become so, when to look again.
func (b *budget) permanent(now time.Time) (yes bool, recheck time.Time) {
	if b.impossibleSince.IsZero() {
		return false, time.Time{}
	}
	if certain := b.impossibleSince.Add(budgetSteady); now.Before(certain) {
		return false, certain
	}
	return true, time.Time{}
}

func (b *budget) room() int {
	if !b.current || b.syncFailed != "" || len(b.disrupted) > maxDisruptedPods {
		return 0
	}
	return int(max(b.allowed, 0))
}

func (b *budget) object() string { return fmt.Sprintf("PodDisruptionBudget/%s", b.key) }

// budgetBook holds the disruption budgets of the cluster, and what the engine's own evictions
// took from them that their status does not show yet.
type budgetBook struct {
	mu      sync.RWMutex
	budgets map[string]map[string]*budget
	// selection counts the changes of which pods which budgets select.
	selection int
	posts     map[types.NamespacedName]map[string]reservation
	refused   map[types.NamespacedName]refusal
}

func newBudgetBook() *budgetBook {
	return &budgetBook{
		budgets: map[string]map[string]*budget{},
		posts:   map[types.NamespacedName]map[string]reservation{},
		refused: map[types.NamespacedName]refusal{},
	}
}

// set takes in a new state of a budget.
func (b *budgetBook) set(pdb *policyv1.PodDisruptionBudget, now time.Time) {
	next := newBudget(pdb)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.budgets[pdb.Namespace] == nil {
		b.budgets[pdb.Namespace] = map[string]*budget{}
	}
	last := b.budgets[pdb.Namespace][pdb.Name]
	if next.impossible() {
		next.impossibleSince = impossibleSince(pdb, last, now)
	}
	if last == nil || last.selector.String() != next.selector.String() {
		b.selection++
	}
	b.budgets[pdb.Namespace][pdb.Name] = next
	b.seen(next)
}

// impossibleSince is since when a budget that is impossible to meet now has been so. last is what
// was known of it before; nil when that is nothing.
func impossibleSince(pdb *policyv1.PodDisruptionBudget, last *budget, now time.Time) time.Time {
	allowed := apimeta.FindStatusCondition(pdb.Status.Conditions, policyv1.DisruptionAllowedCondition)
	switch {
	case last != nil && last.impossible():
		return last.impossibleSince
	case last == nil && allowed != nil && allowed.Status == metav1.ConditionFalse:
		// What was certain before a restart of this process is not put in doubt again.
		return earlier(allowed.LastTransitionTime.Time, now)
	default:
		return now
	}
}

// remove forgets a budget that is gone.
func (b *budgetBook) remove(key types.NamespacedName) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.selection++
	delete(b.budgets[key.Namespace], key.Name)
	if len(b.budgets[key.Namespace]) == 0 {
		delete(b.budgets, key.Namespace)
	}
	delete(b.posts, key)
	delete(b.refused, key)
}

// of returns the budgets that select the pod, sorted by name.
func (b *budgetBook) of(pod *corev1.Pod) []*budget {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var selecting []*budget
	for _, candidate := range b.budgets[pod.Namespace] {
		if candidate.selector.Matches(labels.Set(pod.Labels)) {
			selecting = append(selecting, candidate)
		}
	}
	slices.SortFunc(selecting, func(x, y *budget) int { return cmp.Compare(x.key.Name, y.key.Name) })
	return selecting
}

// named returns those of the budgets that are in the book, as they are now.
func (b *budgetBook) named(keys []types.NamespacedName) []*budget {
	b.mu.RLock()
	defer b.mu.RUnlock()
	found := make([]*budget, 0, len(keys))
	for _, key := range keys {
		if current := b.budgets[key.Namespace][key.Name]; current != nil {
			found = append(found, current)
		}
	}
	return found
}

// selectionNow changes with which pods which budgets select.
func (b *budgetBook) selectionNow() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.selection
}
