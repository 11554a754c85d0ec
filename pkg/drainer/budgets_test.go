// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var epoch = time.Unix(1_000_000, 0)

func alwaysAllow(pdb *policyv1.PodDisruptionBudget) {
	pdb.Spec.UnhealthyPodEvictionPolicy = ptrTo(policyv1.AlwaysAllow)
}

func behind(pdb *policyv1.PodDisruptionBudget) { pdb.Generation = 2 }

func syncFailed(pdb *policyv1.PodDisruptionBudget) {
	pdb.Status.Conditions = []metav1.Condition{{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.SyncFailedReason, Message: "no scale subresource",
	}}
}

func disrupts(pods ...string) func(*policyv1.PodDisruptionBudget) {
	return func(pdb *policyv1.PodDisruptionBudget) {
		pdb.Status.DisruptedPods = map[string]metav1.Time{}
		for _, pod := range pods {
			pdb.Status.DisruptedPods[pod] = metav1.NewTime(epoch)
		}
	}
}

func version(v string) func(*policyv1.PodDisruptionBudget) {
	return func(pdb *policyv1.PodDisruptionBudget) { pdb.ResourceVersion = v }
}

func makeBook(budgets ...*policyv1.PodDisruptionBudget) *budgetBook {
	book := newBudgetBook()
	for _, pdb := range budgets {
		book.set(pdb, epoch)
	}
	return book
}

// What the eviction handler of the API server allows, rule by rule.
func TestPermit(t *testing.T) {
	tests := map[string]struct {
		pod         *corev1.Pod
		budgets     []*policyv1.PodDisruptionBudget
		wantAllowed bool
		wantTakes   string
	}{
		"no budget":                     {pod: makePod("p"), wantAllowed: true},
		"budget of others":              {pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "db", 1, 1, 1, 0)}, wantAllowed: true},
		"room":                          {pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 1, 2, 2, 1)}, wantAllowed: true, wantTakes: "b"},
		"no room":                       {pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 2, 2, 0)}},
		"room, but the spec is newer":   {pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 1, 2, 2, 1, behind)}},
		"two budgets":                   {pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 1, 2, 2, 1), makeBudget("c", "web", 1, 2, 2, 1)}},
		"two budgets, unready pod":      {pod: makePod("p", notReady), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 1, 2, 2, 1), makeBudget("c", "web", 1, 2, 2, 1)}},
		"two budgets, pending pod":      {pod: makePod("p", inPhase(corev1.PodPending)), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 2, 2, 0), makeBudget("c", "web", 2, 2, 2, 0)}, wantAllowed: true},
		"finished pod":                  {pod: makePod("p", inPhase(corev1.PodSucceeded)), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 2, 2, 0)}, wantAllowed: true},
		"failed pod":                    {pod: makePod("p", inPhase(corev1.PodFailed)), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 2, 2, 0)}, wantAllowed: true},
		"unready, AlwaysAllow":          {pod: makePod("p", notReady), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 1, 2, 0, alwaysAllow)}, wantAllowed: true},
		"ready, AlwaysAllow":            {pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 1, 2, 0, alwaysAllow)}},
		"unready, enough others":        {pod: makePod("p", notReady), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 2, 3, 0)}, wantAllowed: true},
		"unready, too few others":       {pod: makePod("p", notReady), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 1, 3, 0)}},
		"unready, budget needs none":    {pod: makePod("p", notReady), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 0, 0, 0, 0)}},
		"budget without a selector":     {pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 2, 2, 0, func(p *policyv1.PodDisruptionBudget) { p.Spec.Selector = nil })}, wantAllowed: true},
		"budget with an empty selector": {pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 2, 2, 0, func(p *policyv1.PodDisruptionBudget) { p.Spec.Selector = &metav1.LabelSelector{} })}},
		"budget of another namespace":   {pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 2, 2, 2, 0, func(p *policyv1.PodDisruptionBudget) { p.Namespace = "other" })}, wantAllowed: true},
		"failed sync":                   {pod: makePod("p"), budgets: []*policyv1.PodDisruptionBudget{makeBudget("b", "web", 1, 2, 2, 0, syncFailed)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			book := makeBook(test.budgets...)
			got := permitFor(test.pod, book.of(test.pod), func(b *budget) int { return book.room(b, epoch) })
			takes := ""
			if got.takes != nil {
				takes = got.takes.key.Name
			}
			if got.allowed != test.wantAllowed || takes != test.wantTakes {
				t.Errorf("allowed %t taking %q, want %t taking %q", got.allowed, takes, test.wantAllowed, test.wantTakes)
			}
			if !got.allowed && len(got.blockedBy) == 0 {
				t.Error("nothing is named that blocks it")
			}
		})
	}
}

// The room that is left between a post and the budget's next status.
func TestRoomAccounting(t *testing.T) {
	accepted, refused := verdict{outcome: outcomeEvicted}, verdict{outcome: outcomeDisruptionBudget}
	broken := verdict{outcome: outcomeFailed, unknown: true}
	tests := map[string]struct {
		do   func(book *budgetBook, b *budget)
		at   time.Time
		want int
	}{
		"untouched":   {do: func(*budgetBook, *budget) {}, want: 2},
		"one posting": {do: func(book *budgetBook, b *budget) { book.reserve(b.key, "p", epoch) }, want: 1},
		"posting for long": {
			do: func(book *budgetBook, b *budget) { book.reserve(b.key, "p", epoch) }, at: epoch.Add(time.Hour), want: 1,
		},
		"refused, as something else took the room": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.settle(claim{budget: b}, "p", refused, epoch)
		}, want: 0},
		"refused long ago": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.settle(claim{budget: b}, "p", refused, epoch)
		}, at: epoch.Add(refusalLasts), want: 2},
		"refused, though it was to take no room": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.settle(claim{budget: b, exempt: true}, "p", refused, epoch)
		}, want: 2},
		"another, long after one that took no room": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.settle(claim{budget: b, exempt: true}, "p", accepted, epoch)
			book.reserve(b.key, "q", epoch.Add(exemptLasts))
			if book.holds(b.key, "p") {
				panic("what has run out is kept")
			}
		}, want: 1},
		"refused by an older version": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.settle(claim{budget: b}, "p", refused, epoch)
			book.set(makeBudget("b", "web", 1, 2, 3, 1, version("2")), epoch)
		}, want: 1},
		"failed otherwise": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.settle(claim{budget: b}, "p", verdict{outcome: outcomeFailed}, epoch)
		}, want: 2},
		"perhaps carried out": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.settle(claim{budget: b}, "p", broken, epoch)
		}, want: 1},
		"accepted, status behind": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.settle(claim{budget: b}, "p", accepted, epoch)
		}, want: 1},
		"accepted, status never showed it": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.settle(claim{budget: b}, "p", accepted, epoch)
		}, at: epoch.Add(reservationLasts), want: 2},
		"accepted, then in the status": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.settle(claim{budget: b}, "p", accepted, epoch)
			book.set(makeBudget("b", "web", 1, 3, 3, 1, disrupts("p"), version("2")), epoch)
		}, want: 1},
		"in the status before the answer": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.set(makeBudget("b", "web", 1, 3, 3, 1, disrupts("p"), version("2")), epoch)
			book.settle(claim{budget: b}, "p", accepted, epoch)
		}, want: 1},
		"another's eviction in the status": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.set(makeBudget("b", "web", 1, 3, 3, 1, disrupts("q"), version("2")), epoch)
		}, want: 0},
		"tried again, the first time in the status": {do: func(book *budgetBook, b *budget) {
			book.set(makeBudget("b", "web", 1, 3, 3, 2, disrupts("p"), version("2")), epoch)
			book.reserve(b.key, "p", epoch)
			book.set(makeBudget("b", "web", 1, 3, 3, 2, disrupts("p", "q"), version("3")), epoch)
			book.settle(claim{budget: b}, "p", accepted, epoch)
			book.set(makeBudget("b", "web", 1, 3, 3, 2, disrupts("p", "q"), version("4")), epoch)
		}, want: 1},
		"tried again, both times in the status": {do: func(book *budgetBook, b *budget) {
			book.set(makeBudget("b", "web", 1, 3, 3, 2, disrupts("p"), version("2")), epoch)
			book.reserve(b.key, "p", epoch)
			book.settle(claim{budget: b}, "p", accepted, epoch)
			book.set(makeBudget("b", "web", 1, 3, 3, 1, disrupts("p"), version("3"), func(pdb *policyv1.PodDisruptionBudget) {
				pdb.Status.DisruptedPods["p"] = metav1.NewTime(epoch.Add(time.Second))
			}), epoch)
		}, want: 1},
		"another pod of that name": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.settle(claim{budget: b}, "p", judge(apierrors.NewConflict(corev1.Resource("pods"), "p", nil)), epoch)
		}, want: 1},
		"removed and made anew": {do: func(book *budgetBook, b *budget) {
			book.reserve(b.key, "p", epoch)
			book.remove(b.key)
			book.set(makeBudget("b", "web", 1, 3, 3, 2), epoch)
		}, want: 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			book := makeBook(makeBudget("b", "web", 1, 3, 3, 2))
			test.do(book, book.of(makePod("p"))[0])
			at := epoch
			if !test.at.IsZero() {
				at = test.at
			}
			if got := book.room(book.of(makePod("p"))[0], at); got != test.want {
				t.Errorf("room for %d, want %d", got, test.want)
			}
		})
	}
}

// closedFor has the disruption controller say since when the budget lets nobody go.
func closedFor(d time.Duration) func(*policyv1.PodDisruptionBudget) {
	return func(pdb *policyv1.PodDisruptionBudget) {
		pdb.Status.Conditions = append(pdb.Status.Conditions, metav1.Condition{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
			Reason: policyv1.InsufficientPodsReason, LastTransitionTime: metav1.NewTime(epoch.Add(-d)),
		})
	}
}

func TestPermanentlyImpossibleBudget(t *testing.T) {
	tests := map[string]struct {
		first, then *policyv1.PodDisruptionBudget
		after       time.Duration
		want        bool
		wantRecheck bool
	}{
		"needs all that are expected":     {first: makeBudget("b", "web", 3, 3, 3, 0), after: budgetSteady, want: true},
		"but not for long":                {first: makeBudget("b", "web", 3, 3, 3, 0), after: budgetSteady - 1, wantRecheck: true},
		"room comes back":                 {first: makeBudget("b", "web", 2, 2, 3, 0), after: time.Hour},
		"expected pods flicker":           {first: makeBudget("b", "web", 3, 3, 3, 0), then: makeBudget("b", "web", 3, 3, 4, 0), after: time.Hour},
		"steady over a change of numbers": {first: makeBudget("b", "web", 3, 2, 3, 0), then: makeBudget("b", "web", 3, 3, 3, 0), after: budgetSteady, want: true},
		"status is behind":                {first: makeBudget("b", "web", 3, 3, 3, 0, behind), after: time.Hour},
		"sync failed":                     {first: makeBudget("b", "web", 1, 3, 3, 0, syncFailed), after: budgetSteady, want: true},
		"before a restart":                {first: makeBudget("b", "web", 3, 3, 3, 0, closedFor(budgetSteady)), want: true},
		"shortly before a restart":        {first: makeBudget("b", "web", 3, 3, 3, 0, closedFor(budgetSteady-1)), wantRecheck: true},
		"closed for another reason":       {first: makeBudget("b", "web", 2, 2, 3, 0, closedFor(time.Hour)), then: makeBudget("b", "web", 3, 3, 3, 0, closedFor(time.Hour)), after: budgetSteady, wantRecheck: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			book := makeBook(test.first)
			if test.then != nil {
				book.set(test.then, epoch.Add(time.Second))
			}
			got, recheck := book.of(makePod("p"))[0].permanent(epoch.Add(test.after))
			if got != test.want || recheck.IsZero() == test.wantRecheck {
				t.Errorf("permanent: %t, again at %v; want %t, again: %t", got, recheck, test.want, test.wantRecheck)
			}
		})
	}
}
