// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// calls collects the nodes that a dispatcher says have changed.
type calls struct {
	mu    sync.Mutex
	nodes []string
}

func (c *calls) changed(node string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes = append(c.nodes, node)
}

// take returns the nodes since the last call, sorted.
func (c *calls) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.nodes = nil }()
	return slices.Sorted(slices.Values(c.nodes))
}

// closed is a budget that lets nobody go.
func closed(name, app string, change func(*policyv1.PodDisruptionBudget)) drainertest.Budget {
	return drainertest.Budget{Name: name, App: app, Version: "2", Desired: 2, Healthy: 2, Expected: 3, Change: change}
}

// A change of a budget has those nodes planned anew whose waiting pods it may concern, and no others.
func TestBudgetChangeWakesTheNodesThatWaitForIt(t *testing.T) {
	tests := map[string]struct {
		change func(*Budgets)
		want   []string
	}{
		"a number of it": {
			change: setting(closed("web", "web", func(pdb *policyv1.PodDisruptionBudget) { pdb.Status.CurrentHealthy = 1 })),
			want:   []string{"both", "web"},
		},
		"its spec, which the controller has not evaluated": {
			change: setting(closed("web", "web", func(pdb *policyv1.PodDisruptionBudget) { pdb.Generation++ })),
			want:   []string{"both", "web"},
		},
		"of another namespace": {
			change: setting(drainertest.Budget{Namespace: "other", Name: "web", Version: "2", Desired: 1, Expected: 3}),
			want:   []string{"other"},
		},
		"what it selects": {
			change: setting(closed("web", "nothing", nil)), want: []string{"both", "db", "free", "web"},
		},
		"a new one": {
			change: setting(closed("new", "web", nil)), want: []string{"both", "db", "free", "web"},
		},
		"one that is gone": {
			change: func(b *Budgets) { b.Remove(newBudget(closed("db", "db", nil).Object()).Name) },
			want:   []string{"both", "db", "free", "web"},
		},
		"an unknown one is gone": {
			change: func(b *Budgets) {
				b.Remove(newBudget(drainertest.Budget{Namespace: "empty", Name: "x"}.Object()).Name)
			},
		},
		"only its resource version": {change: setting(closed("web", "web", nil))},
		"only its disrupted pods": {
			change: setting(closed("web", "web", func(pdb *policyv1.PodDisruptionBudget) {
				pdb.Status.DisruptedPods = map[string]metav1.Time{"elsewhere": metav1.Now()}
			})),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				budgets, called := NewBudgets(), &calls{}
				for _, budget := range []drainertest.Budget{
					closed("web", "web", version("1")), closed("db", "db", version("1")),
					{Namespace: "other", Name: "web", Desired: 2, Healthy: 2, Expected: 3},
				} {
					setting(budget)(budgets)
				}
				d := NewDispatcher(Config{
					Clock: clock.RealClock{}, Client: newFakeClient(), Budgets: budgets, InFlight: 8, Changed: called.changed,
				})
				defer running(t, d)()
				waitForBudgets(d)
				wantChanged(t, called, nil)
				test.change(budgets)
				synctest.Wait()
				wantChanged(t, called, test.want)
			})
		})
	}
}

// waitForBudgets has nodes want pods evicted: each is named after the apps of its pods.
func waitForBudgets(d *Dispatcher) {
	web, db := drainertest.Pod{Name: "web-1"}.Object(), drainertest.Pod{Name: "db-1", App: "db"}.Object()
	for node, pods := range map[string][]*corev1.Pod{
		"web": {web}, "db": {db}, "free": {drainertest.Pod{Name: "free-1", App: "free"}.Object()},
		"both":  {drainertest.Pod{Name: "web-2"}.Object(), drainertest.Pod{Name: "db-2", App: "db"}.Object()},
		"other": {drainertest.Pod{Namespace: "other", Name: "web-1"}.Object()},
	} {
		wants(d, node, pods...)
	}
	wants(d, "paused", drainertest.Pod{Name: "web-3"}.Object())
	d.Pause("paused")
	synctest.Wait()
}

// setting has a budget be as it is told.
func setting(budget drainertest.Budget) func(*Budgets) {
	return func(b *Budgets) { b.Set(budget.Object(), time.Now()) }
}

func version(version string) func(*policyv1.PodDisruptionBudget) {
	return func(pdb *policyv1.PodDisruptionBudget) { pdb.ResourceVersion = version }
}

func wantChanged(t *testing.T, called *calls, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, called.take()); diff != "" {
		t.Errorf("nodes that are planned anew (-want +got):\n%s", diff)
	}
}
