// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func makeBook(budgets ...drainertest.Budget) *Budgets {
	book := NewBudgets()
	for _, pdb := range budgets {
		book.Set(pdb.Object(), drainertest.Epoch)
	}
	return book
}

// budgetsOf are the budgets that select the pod.
func budgetsOf(book *Budgets, pod *corev1.Pod) []*Budget {
	return book.Snapshot([]*corev1.Pod{pod}, drainertest.Epoch).Selecting(pod)
}

// What the eviction handler of the API server allows, rule by rule.
func TestPermit(t *testing.T) {
	tests := map[string]struct {
		pod         drainertest.Pod
		budgets     []drainertest.Budget
		wantAllowed bool
		wantTakes   string
	}{
		"no budget": {pod: drainertest.Pod{Name: "p"}, wantAllowed: true},
		"budget of others": {
			pod:         drainertest.Pod{Name: "p"},
			budgets:     []drainertest.Budget{{Name: "b", App: "db", Desired: 1, Healthy: 1, Expected: 1}},
			wantAllowed: true,
		},
		"room": {
			pod:         drainertest.Pod{Name: "p"},
			budgets:     []drainertest.Budget{{Name: "b", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1}},
			wantAllowed: true, wantTakes: "b",
		},
		"no room": {
			pod:     drainertest.Pod{Name: "p"},
			budgets: []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 2, Expected: 2}},
		},
		"room, but the spec is newer": {
			pod:     drainertest.Pod{Name: "p"},
			budgets: []drainertest.Budget{{Name: "b", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1, Behind: true}},
		},
		"two budgets": {
			pod: drainertest.Pod{Name: "p"},
			budgets: []drainertest.Budget{
				{Name: "b", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1},
				{Name: "c", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1},
			},
		},
		"two budgets, unready pod": {
			pod: drainertest.Pod{Name: "p", NotReady: true},
			budgets: []drainertest.Budget{
				{Name: "b", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1},
				{Name: "c", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1},
			},
		},
		"two budgets, pending pod": {
			pod: drainertest.Pod{Name: "p", Phase: corev1.PodPending},
			budgets: []drainertest.Budget{
				{Name: "b", Desired: 2, Healthy: 2, Expected: 2},
				{Name: "c", Desired: 2, Healthy: 2, Expected: 2},
			},
			wantAllowed: true,
		},
		"finished pod": {
			pod:     drainertest.Pod{Name: "p", Phase: corev1.PodSucceeded},
			budgets: []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 2, Expected: 2}}, wantAllowed: true,
		},
		"failed pod": {
			pod:     drainertest.Pod{Name: "p", Phase: corev1.PodFailed},
			budgets: []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 2, Expected: 2}}, wantAllowed: true,
		},
		"unready, AlwaysAllow": {
			pod:         drainertest.Pod{Name: "p", NotReady: true},
			budgets:     []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 1, Expected: 2, AlwaysAllow: true}},
			wantAllowed: true,
		},
		"ready, AlwaysAllow": {
			pod:     drainertest.Pod{Name: "p"},
			budgets: []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 1, Expected: 2, AlwaysAllow: true}},
		},
		"unready, enough others": {
			pod:     drainertest.Pod{Name: "p", NotReady: true},
			budgets: []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 2, Expected: 3}}, wantAllowed: true,
		},
		"unready, too few others": {
			pod:     drainertest.Pod{Name: "p", NotReady: true},
			budgets: []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 1, Expected: 3}},
		},
		"unready, budget needs none": {
			pod: drainertest.Pod{Name: "p", NotReady: true}, budgets: []drainertest.Budget{{Name: "b"}},
		},
		"budget without a selector": {
			pod: drainertest.Pod{Name: "p"},
			budgets: []drainertest.Budget{{
				Name: "b", Desired: 2, Healthy: 2, Expected: 2,
				Change: func(p *policyv1.PodDisruptionBudget) { p.Spec.Selector = nil },
			}},
			wantAllowed: true,
		},
		"budget with an empty selector": {
			pod: drainertest.Pod{Name: "p"},
			budgets: []drainertest.Budget{{
				Name: "b", Desired: 2, Healthy: 2, Expected: 2,
				Change: func(p *policyv1.PodDisruptionBudget) { p.Spec.Selector = &metav1.LabelSelector{} },
			}},
		},
		"budget of another namespace": {
			pod:         drainertest.Pod{Name: "p"},
			budgets:     []drainertest.Budget{{Name: "b", Desired: 2, Healthy: 2, Expected: 2, Namespace: "other"}},
			wantAllowed: true,
		},
		"failed sync": {
			pod:     drainertest.Pod{Name: "p"},
			budgets: []drainertest.Budget{{Name: "b", Desired: 1, Healthy: 2, Expected: 2, SyncFailed: true}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			book, pod := makeBook(test.budgets...), test.pod.Object()
			got := PermitFor(pod, budgetsOf(book, pod), func(b *Budget) int { return book.roomNow(b, drainertest.Epoch) })
			takes := ""
			if got.Takes != nil {
				takes = got.Takes.Name.Name
			}
			if got.Allowed != test.wantAllowed || takes != test.wantTakes {
				t.Errorf("allowed %t taking %q, want %t taking %q", got.Allowed, takes, test.wantAllowed,
					test.wantTakes)
			}
			if !got.Allowed && len(got.BlockedBy) == 0 {
				t.Error("nothing is named that blocks it")
			}
		})
	}
}

// The room that is left between a post and the budget's next status.
func TestRoomAccounting(t *testing.T) {
	accepted, refused := Answer{Outcome: Evicted}, Answer{Outcome: DisruptionBudget}
	broken := Answer{Outcome: Failed, unknown: true}
	tests := map[string]struct {
		do   func(book *Budgets, b *Budget)
		at   time.Time
		want int
	}{
		"untouched": {do: func(*Budgets, *Budget) {}, want: 2},
		"one posting": {
			do: func(book *Budgets, b *Budget) { book.reserve(b.Name, "p", drainertest.Epoch) }, want: 1,
		},
		"posting for long": {
			do: func(book *Budgets, b *Budget) { book.reserve(b.Name, "p", drainertest.Epoch) },
			at: drainertest.Epoch.Add(time.Hour), want: 1,
		},
		"refused, as something else took the room": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.settle(use{budget: b}, "p", refused, false, drainertest.Epoch)
		}, want: 0},
		"refused long ago": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.settle(use{budget: b}, "p", refused, false, drainertest.Epoch)
		}, at: drainertest.Epoch.Add(refusalLasts), want: 2},
		"refused, though it was to take no room": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.settle(use{budget: b, exempt: true}, "p", refused, false, drainertest.Epoch)
		}, want: 2},
		"another, long after one that took no room": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.settle(use{budget: b, exempt: true}, "p", accepted, false, drainertest.Epoch)
			book.reserve(b.Name, "q", drainertest.Epoch.Add(reservationLasts))
			if len(book.reserved[b.Name]) > 1 {
				panic("what has run out is kept")
			}
		}, want: 1},
		"refused by an older version": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.settle(use{budget: b}, "p", refused, false, drainertest.Epoch)
			book.Set(drainertest.Budget{
				Name: "b", Desired: 1, Healthy: 2, Expected: 3, Allowed: 1, Version: "2",
			}.Object(),
				drainertest.Epoch)
		}, want: 1},
		"failed otherwise": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.settle(use{budget: b}, "p", Answer{Outcome: Failed}, false, drainertest.Epoch)
		}, want: 2},
		"perhaps carried out": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.settle(use{budget: b}, "p", broken, false, drainertest.Epoch)
		}, want: 1},
		"accepted, status behind": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.settle(use{budget: b}, "p", accepted, false, drainertest.Epoch)
		}, want: 1},
		"accepted, status never showed it": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.settle(use{budget: b}, "p", accepted, false, drainertest.Epoch)
		}, at: drainertest.Epoch.Add(reservationLasts), want: 2},
		"accepted, then in the status": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.settle(use{budget: b}, "p", accepted, false, drainertest.Epoch)
			book.Set(drainertest.Budget{
				Name: "b", Desired: 1, Healthy: 3, Expected: 3, Allowed: 1, Disrupts: []string{"p"}, Version: "2",
			}.Object(),
				drainertest.Epoch)
		}, want: 1},
		"in the status before the answer": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.Set(drainertest.Budget{
				Name: "b", Desired: 1, Healthy: 3, Expected: 3, Allowed: 1, Disrupts: []string{"p"}, Version: "2",
			}.Object(),
				drainertest.Epoch)
			book.settle(use{budget: b}, "p", accepted, false, drainertest.Epoch)
		}, want: 1},
		"another's eviction in the status": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.Set(drainertest.Budget{
				Name: "b", Desired: 1, Healthy: 3, Expected: 3, Allowed: 1, Disrupts: []string{"q"}, Version: "2",
			}.Object(),
				drainertest.Epoch)
		}, want: 0},
		"tried again, the first time in the status": {do: func(book *Budgets, b *Budget) {
			book.Set(drainertest.Budget{
				Name: "b", Desired: 1, Healthy: 3, Expected: 3, Allowed: 2, Disrupts: []string{"p"}, Version: "2",
			}.Object(),
				drainertest.Epoch)
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.Set(drainertest.Budget{
				Name: "b", Desired: 1, Healthy: 3, Expected: 3, Allowed: 2, Disrupts: []string{"p", "q"},
				Version: "3",
			}.Object(), drainertest.Epoch)
			book.settle(use{budget: b}, "p", accepted, false, drainertest.Epoch)
			book.Set(drainertest.Budget{
				Name: "b", Desired: 1, Healthy: 3, Expected: 3, Allowed: 2, Disrupts: []string{"p", "q"},
				Version: "4",
			}.Object(), drainertest.Epoch)
		}, want: 1},
		"tried again, both times in the status": {do: func(book *Budgets, b *Budget) {
			book.Set(drainertest.Budget{
				Name: "b", Desired: 1, Healthy: 3, Expected: 3, Allowed: 2, Disrupts: []string{"p"}, Version: "2",
			}.Object(),
				drainertest.Epoch)
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.settle(use{budget: b}, "p", accepted, false, drainertest.Epoch)
			book.Set(drainertest.Budget{
				Name: "b", Desired: 1, Healthy: 3, Expected: 3, Allowed: 1,
				Disrupts: []string{
					"p",
				}, Version: "3", Change: func(pdb *policyv1.PodDisruptionBudget) {
					pdb.Status.DisruptedPods["p"] = metav1.NewTime(drainertest.Epoch.Add(time.Second))
				},
			}.Object(), drainertest.Epoch)
		}, want: 1},
		"another pod of that name": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.settle(use{
				budget: b,
			}, "p", newAnswer(apierrors.NewConflict(corev1.Resource("pods"), "p", nil)), false, drainertest.Epoch)
		}, want: 1},
		"removed and made anew": {do: func(book *Budgets, b *Budget) {
			book.reserve(b.Name, "p", drainertest.Epoch)
			book.Remove(b.Name)
			book.Set(drainertest.Budget{Name: "b", Desired: 1, Healthy: 3, Expected: 3, Allowed: 2}.Object(),
				drainertest.Epoch)
		}, want: 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			book := makeBook(drainertest.Budget{Name: "b", Desired: 1, Healthy: 3, Expected: 3, Allowed: 2})
			test.do(book, budgetsOf(book, drainertest.Pod{Name: "p"}.Object())[0])
			at := drainertest.Epoch
			if !test.at.IsZero() {
				at = test.at
			}
			if got := book.roomNow(budgetsOf(book, drainertest.Pod{Name: "p"}.Object())[0], at); got != test.want {
				t.Errorf("room for %d, want %d", got, test.want)
			}
		})
	}
}

// The budget's status shows an eviction between the moment when the dispatcher looks the budget up and
// the one when it asks for its room.
func TestRoomOfAnOlderState(t *testing.T) {
	book := makeBook(drainertest.Budget{Name: "b", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1})
	older := budgetsOf(book, drainertest.Pod{Name: "p"}.Object())[0]
	book.reserve(older.Name, "p", drainertest.Epoch)
	book.Set(drainertest.Budget{Name: "b", Version: "2", Desired: 1, Healthy: 2, Expected: 2, Disrupts: []string{"p"}}.Object(),
		drainertest.Epoch)
	if got := book.roomNow(older, drainertest.Epoch); got != 0 {
		t.Errorf("there is room for %d more pods, want 0: it was taken", got)
	}
}

func TestPermanentlyImpossibleBudget(t *testing.T) {
	tests := map[string]struct {
		first, then drainertest.Budget
		after       time.Duration
		want        bool
		wantRecheck bool
	}{
		"needs all that are expected": {
			first: drainertest.Budget{Name: "b", Desired: 3, Healthy: 3, Expected: 3}, after: budgetSteady,
			want: true,
		},
		"but not for long": {
			first: drainertest.Budget{Name: "b", Desired: 3, Healthy: 3, Expected: 3}, after: budgetSteady - 1,
			wantRecheck: true,
		},
		"room comes back": {
			first: drainertest.Budget{Name: "b", Desired: 2, Healthy: 2, Expected: 3}, after: time.Hour,
		},
		"expected pods flicker": {
			first: drainertest.Budget{Name: "b", Desired: 3, Healthy: 3, Expected: 3},
			then:  drainertest.Budget{Name: "b", Desired: 3, Healthy: 3, Expected: 4}, after: time.Hour,
		},
		"steady over a change of numbers": {
			first: drainertest.Budget{Name: "b", Desired: 3, Healthy: 2, Expected: 3},
			then:  drainertest.Budget{Name: "b", Desired: 3, Healthy: 3, Expected: 3}, after: budgetSteady,
			want: true,
		},
		"status is behind": {
			first: drainertest.Budget{Name: "b", Desired: 3, Healthy: 3, Expected: 3, Behind: true},
			after: time.Hour,
		},
		"sync failed": {
			first: drainertest.Budget{Name: "b", Desired: 1, Healthy: 3, Expected: 3, SyncFailed: true},
			after: budgetSteady, want: true,
		},
		"before a restart": {
			first: drainertest.Budget{Name: "b", Desired: 3, Healthy: 3, Expected: 3, ClosedFor: budgetSteady},
			want:  true,
		},
		"shortly before a restart": {
			first: drainertest.Budget{
				Name: "b", Desired: 3, Healthy: 3, Expected: 3, ClosedFor: budgetSteady - 1,
			},
			wantRecheck: true,
		},
		"closed for another reason": {
			first: drainertest.Budget{Name: "b", Desired: 2, Healthy: 2, Expected: 3, ClosedFor: time.Hour},
			then:  drainertest.Budget{Name: "b", Desired: 3, Healthy: 3, Expected: 3, ClosedFor: time.Hour},
			after: budgetSteady, wantRecheck: true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			book := makeBook(test.first)
			if test.then.Name != "" {
				book.Set(test.then.Object(), drainertest.Epoch.Add(time.Second))
			}
			got, recheck := budgetsOf(book, drainertest.Pod{
				Name: "p",
			}.Object())[0].Permanent(drainertest.Epoch.Add(test.after))
			if got != test.want || recheck.IsZero() == test.wantRecheck {
				t.Errorf("permanent: %t, again at %v; want %t, again: %t", got, recheck, test.want, test.wantRecheck)
			}
		})
	}
}
