// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/sets"
)

// budgetView is what the floor knows of a budget.
type budgetView struct {
	mu   sync.Mutex
	room int32
	// counted are the pods whose eviction the budget's status has shown.
	counted sets.Set[string]
	// changed is closed, and another one made, at each change.
	changed chan struct{}
}

func newBudgetView() *budgetView {
	return &budgetView{counted: sets.New[string](), changed: make(chan struct{})}
}

func (b *budgetView) take(budget *policyv1.PodDisruptionBudget) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.room = budget.Status.DisruptionsAllowed
	for pod := range budget.Status.DisruptedPods {
		b.counted.Insert(pod)
	}
	close(b.changed)
	b.changed = make(chan struct{})
}

// wait waits until done, which is called with the lock held.
func (b *budgetView) wait(ctx context.Context, done func() bool) error {
	for {
		b.mu.Lock()
		changed, isDone := b.changed, done()
		b.mu.Unlock()
		if isDone {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("could not wait for a budget: %w", ctx.Err())
		case <-changed:
		}
	}
}

// follow keeps the budgets up to date until the watch is stopped.
func (f *floor) follow() {
	for event := range f.watched.ResultChan() {
		if budget, isBudget := event.Object.(*policyv1.PodDisruptionBudget); isBudget && f.budgets[budget.Name] != nil {
			f.budgets[budget.Name].take(budget)
		}
	}
}

// drainBudget evicts the pods of one budget one after the other: each as soon as
// there is room, after the budget's status has shown the one before.
func (f *floor) drainBudget(ctx context.Context, budget *budgetView, pods []*corev1.Pod) error {
	for _, pod := range pods {
		for {
			var seen <-chan struct{}
			if err := budget.wait(ctx, func() bool { seen = budget.changed; return budget.room > 0 }); err != nil {
				return err
			}
			err := f.evict(ctx, pod)
			if err == nil {
				break
			}
			if !apierrors.IsTooManyRequests(err) {
				return err
			}
			select {
			case <-seen:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err := budget.wait(ctx, func() bool { return budget.counted.Has(pod.Name) }); err != nil {
			return err
		}
	}
	return nil
}
