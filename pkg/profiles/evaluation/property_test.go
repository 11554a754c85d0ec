// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// modelRuns is how many random scenes TestAgainIsRight evaluates. TestInvariants takes 50 times as many.
var modelRuns = flag.Int("model.runs", 20, "number of random scenes")

// verdict is what must change only at the times that were announced: all results, but for messages with numbers.
func verdict(o evaluation.Outcome) string {
	var text strings.Builder
	for _, c := range o.Checks {
		fmt.Fprintf(&text, "%s=%s ", c.Name, c.Result)
	}
	for _, t := range o.Transitions {
		fmt.Fprintf(&text, "%s=%s%v blocked %q ", t.Name, t.Result, t.Decisive, t.Blocked)
	}
	fmt.Fprintf(&text, "winner %d by %v %v wants %v", o.Winner, o.PushedBy, o.ApprovedBy, o.Wants)
	return text.String()
}

// TestAgainIsRight evaluates random scenes at every minute of two days, beside somebody who evaluates only when the last
// outcome said so. Both always see the same.
func TestAgainIsRight(t *testing.T) {
	changes := 0
	for seed := range uint64(*modelRuns) {
		facts := newRandom(seed).scene(t).facts(t)
		compiled := evaluation.Compile(facts.Profile)
		known := compiled.Evaluate(facts)
		for range 2 * 24 * 60 {
			facts.Now = facts.Now.Add(time.Minute)
			for !known.Again.IsZero() && !known.Again.After(facts.Now) {
				then := facts
				then.Now = known.Again
				if known = compiled.Evaluate(then); !known.Again.IsZero() && !known.Again.After(then.Now) {
					t.Fatalf("seed %d: at %s, to be evaluated again at %s", seed, then.Now, known.Again)
				}
				changes++
			}
			if diff := cmp.Diff(verdict(known), verdict(compiled.Evaluate(facts))); diff != "" {
				t.Fatalf("seed %d: at %s, but nobody had announced it (-known +is):\n%s", seed, facts.Now, diff)
			}
		}
	}
	if changes < *modelRuns/4 {
		t.Errorf("only %d times were announced", changes)
	}
}

// TestInvariants checks random scenes.
func TestInvariants(t *testing.T) {
	winners, scenes := 0, 50**modelRuns
	for seed := range uint64(scenes) {
		facts := newRandom(seed).scene(t).facts(t)
		before := fmt.Sprintf("%+v", facts.Ledger) + fmt.Sprint(facts.NodeProfile.Status.Decisions)
		compiled := evaluation.Compile(facts.Profile)
		outcome := compiled.Evaluate(facts)
		if diff := cmp.Diff(outcome, evaluation.Evaluate(facts)); diff != "" {
			t.Fatalf("seed %d: another outcome of the same facts:\n%s", seed, diff)
		}
		if after := fmt.Sprintf("%+v", facts.Ledger) + fmt.Sprint(facts.NodeProfile.Status.Decisions); after != before {
			t.Fatalf("seed %d: the facts were changed", seed)
		}
		if outcome.Winner >= 0 {
			winners++
			checkWinner(t, seed, facts, outcome)
		}
		checkWants(t, seed, compiled, facts, outcome)
		if t.Failed() {
			return
		}
	}
	if winners < scenes/10 {
		t.Errorf("only %d scenes had a winner", winners)
	}
}

func checkWinner(t *testing.T, seed uint64, facts evaluation.Facts, outcome evaluation.Outcome) {
	t.Helper()
	winner := outcome.Transitions[outcome.Winner]
	if outcome.PushedBy == nil && (winner.Result != evaluation.True || winner.Blocked != "") {
		t.Errorf("seed %d: %s was taken with the result %s, blocked: %s", seed, winner.Name, winner.Result, winner.Blocked)
	}
	if push := outcome.PushedBy; push != nil && (push.Transition != winner.Name || push.Sequence != 3 || push.UsedBy != "") {
		t.Errorf("seed %d: %s was taken by the push %+v", seed, winner.Name, push)
	}
	for _, entry := range facts.Ledger.InMaintenance {
		if winner.Next == v1beta1.ProfileInMaintenance && entry.Node == "w-1" && entry.Profile != "p" {
			t.Errorf("seed %d: %s was taken, and %s has the node", seed, winner.Name, entry.Profile)
		}
	}
	for _, d := range facts.NodeProfile.Status.Decisions {
		counts := d.Sequence == 3 && (d.ExpirationTime == nil || facts.Now.Before(d.ExpirationTime.Time))
		if d.Decision == v1beta1.ProfileVeto && counts && (d.Transition == "" || d.Transition == winner.Name) {
			t.Errorf("seed %d: %s was taken, and vetoed: %+v", seed, winner.Name, d)
		}
	}
}

// checkWants changes each answer that is not wanted, and expects the same winner.
func checkWants(t *testing.T, seed uint64, compiled *evaluation.Compiled, facts evaluation.Facts, outcome evaluation.Outcome) {
	t.Helper()
	for _, c := range outcome.Checks {
		if slices.Contains(outcome.Wants, c.Name) || !isExternal(facts.Profile, c.Name) {
			continue
		}
		for _, result := range []evaluation.Result{evaluation.True, evaluation.False, evaluation.Error} {
			changed := facts
			changed.Answers = maps.Clone(facts.Answers)
			changed.Answers[c.Name] = evaluation.Answer{Result: result}
			if other := compiled.Evaluate(changed); other.Winner != outcome.Winner {
				t.Errorf("seed %d: %s is not wanted, but with %s, %d wins, and not %d", seed, c.Name, result, other.Winner, outcome.Winner)
			}
		}
	}
}

func isExternal(profile *v1beta1.MaintenanceProfile, name string) bool {
	return slices.ContainsFunc(profile.Spec.Checks, func(c v1beta1.ProfileCheck) bool {
		_, needs := evaluation.KindOf(&c)
		return c.Name == name && needs.Answer
	})
}

// TestLedgerSays changes the ledger of random scenes. While it says the same, all results are the same.
func TestLedgerSays(t *testing.T) {
	same, changes := 0, 0
	for seed := range uint64(50 * *modelRuns) {
		r := newRandom(seed)
		facts := r.scene(t).facts(t)
		compiled := evaluation.Compile(facts.Profile)
		before := compiled.Evaluate(facts)
		if got := compiled.Ledger(facts); got != before.Ledger {
			t.Fatalf("seed %d: asked alone, the ledger says %+v, want %+v", seed, got, before.Ledger)
		}
		for range 10 {
			other := &scene{}
			r.ledger(other)
			facts.Ledger = other.Ledger
			after := compiled.Evaluate(facts)
			if after.Ledger.Says != before.Ledger.Says {
				changes++
				continue
			}
			same++
			if diff := cmp.Diff(verdict(before), verdict(after)); diff != "" {
				t.Fatalf("seed %d: the ledger says %q both times (-before +after):\n%s", seed, before.Ledger.Says, diff)
			}
		}
	}
	if same < *modelRuns || changes < *modelRuns {
		t.Errorf("the ledger says the same %d times, and something else %d times: too few", same, changes)
	}
}
