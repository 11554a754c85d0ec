// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"fmt"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (p *pool) deleteBudget(t *testing.T, name string) {
	t.Helper()
	if err := p.Kube.PolicyV1().PodDisruptionBudgets(p.Name).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatalf("could not delete budget %s: %v", name, err)
	}
}

func (p *pool) patchBudget(t *testing.T, name, patch string) {
	t.Helper()
	_, err := p.Kube.PolicyV1().PodDisruptionBudgets(p.Name).
		Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		t.Fatalf("could not patch budget %s: %v", name, err)
	}
}

// budgetWatch notes when a budget was seen broken.
type budgetWatch struct {
	stop    func()
	stopped chan struct{}
	broken  []string
	seen    int
	// room is for how many pods there was room, summed up over all versions of the budgets.
	room int
}

// watchBudgets watches the pool's budgets, and from the pods' side that at least
// so many pods of each app stay healthy; check reports what was broken.
func (p *pool) watchBudgets(t *testing.T, apps ...string) *budgetWatch {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	watched, err := p.Kube.PolicyV1().PodDisruptionBudgets(p.Name).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatalf("could not watch budgets: %v", err)
	}
	for _, app := range apps {
		p.pods.countHealthy(app)
	}
	w := &budgetWatch{stop: cancel, stopped: make(chan struct{})}
	go func() {
		defer close(w.stopped)
		for event := range watched.ResultChan() {
			if budget, isBudget := event.Object.(*policyv1.PodDisruptionBudget); isBudget {
				w.take(budget)
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-w.stopped })
	return w
}

func (w *budgetWatch) take(budget *policyv1.PodDisruptionBudget) {
	w.seen++
	w.room += int(budget.Status.DisruptionsAllowed)
	if s := budget.Status; s.ObservedGeneration >= budget.Generation && s.CurrentHealthy < s.DesiredHealthy {
		w.broken = append(w.broken, fmt.Sprintf("budget %s needs %d healthy pods and had %d", budget.Name, s.DesiredHealthy, s.CurrentHealthy))
	}
}

// check ends the watch and reports what was broken. atLeast is by app how many
// pods had to stay healthy.
func (w *budgetWatch) check(t *testing.T, p *pool, atLeast map[string]int) {
	t.Helper()
	w.stop()
	<-w.stopped
	if w.seen == 0 {
		t.Error("no budget was seen")
	}
	for _, broken := range w.broken {
		t.Error(broken)
	}
	for app, want := range atLeast {
		if least := p.pods.least(app); least < want {
			t.Errorf("at a time only %d pods of %s were healthy, want %d", least, app, want)
		}
	}
}
