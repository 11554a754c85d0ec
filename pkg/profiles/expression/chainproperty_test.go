// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

var four = []expression.Result{v1beta1.CheckTrue, v1beta1.CheckFalse, v1beta1.CheckError, v1beta1.CheckUnknown}

// sample is a chain as text, and what Kleene's tables say of it.
type sample struct {
	text  string
	value func(expression.Results) expression.Result
}

// For random chains, the result is that of Kleene's tables, and what is said of the decisive checks and of those that are
// wanted is true.
func TestRandomChains(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 7))
		names := []string{"a", "b", "c", "d", "e"}[:1+random.IntN(5)]
		s := randomChain(random, names, 4)
		chain := mustParse(t, s.text, names)
		results := randomResults(random, names)
		if !checkChain(t, random, s, chain, results) {
			t.Fatalf("seed %d: %s with %v", seed, s.text, results)
		}
	}
}

func checkChain(
	t *testing.T, random *rand.Rand, s sample, chain *expression.Chain, results map[string]expression.Result,
) bool {
	result, decisive := chain.Evaluate(of(results))
	wants := chain.Wants(of(results))
	if want := s.value(of(results)); result != want {
		t.Errorf("Evaluate() = %s, want %s", result, want)
	}
	if len(decisive) == 0 || !inOrder(decisive, chain.Names()) || !inOrder(wants, chain.Names()) {
		t.Errorf("Evaluate() has decisive checks %v and Wants() = %v, want them in the order %v",
			decisive, wants, chain.Names())
	}
	if isKnown(result) {
		checkOthersDoNotMatter(t, random, s, results, result, decisive)
	} else {
		checkWithoutThem(t, s, results, result, decisive)
	}
	checkWants(t, random, s, results, result, wants)
	return !t.Failed()
}

// checkOthersDoNotMatter gives all checks that are not decisive other results, at the same time.
func checkOthersDoNotMatter(
	t *testing.T, random *rand.Rand, s sample, results map[string]expression.Result, want expression.Result,
	decisive []string,
) {
	changed := map[string]expression.Result{}
	for name, result := range results {
		changed[name] = four[random.IntN(len(four))]
		if slices.Contains(decisive, name) {
			changed[name] = result
		}
	}
	if got := s.value(of(changed)); got != want {
		t.Errorf("the result is %s with %v, want %s, since only %v are decisive", got, changed, want, decisive)
	}
}

// checkWithoutThem lets the decisive checks of a result that is not known be known.
func checkWithoutThem(
	t *testing.T, s sample, results map[string]expression.Result, result expression.Result, decisive []string,
) {
	changed := map[string]expression.Result{}
	for name, result := range results {
		changed[name] = result
	}
	for _, name := range decisive {
		if results[name] != result {
			t.Errorf("%s is decisive with the result %s, want %s", name, results[name], result)
		}
		changed[name] = v1beta1.CheckTrue
	}
	if got := s.value(of(changed)); got == result {
		t.Errorf("the result is still %s although %v are known", got, decisive)
	}
}

// checkWants lets checks that are not wanted be known, while the others that are not known get any results.
func checkWants(
	t *testing.T, random *rand.Rand, s sample, results map[string]expression.Result, result expression.Result,
	wants []string,
) {
	if isKnown(result) != (len(wants) == 0) {
		t.Errorf("Wants() = %v while the result is %s", wants, result)
	}
	before, after := map[string]expression.Result{}, map[string]expression.Result{}
	for name, result := range results {
		before[name], after[name] = result, result
		switch {
		case isKnown(result):
		case slices.Contains(wants, name):
			before[name] = four[random.IntN(len(four))]
			after[name] = before[name]
		default:
			after[name] = four[random.IntN(2)]
		}
	}
	if a, b := s.value(of(before)), s.value(of(after)); a != b {
		t.Errorf("the result is %s with %v and %s with %v, although only %v are wanted", a, before, b, after, wants)
	}
}

func isKnown(result expression.Result) bool {
	return result == v1beta1.CheckTrue || result == v1beta1.CheckFalse
}

func inOrder(names, all []string) bool {
	last := -1
	for _, name := range names {
		at := slices.Index(all, name)
		if at <= last {
			return false
		}
		last = at
	}
	return true
}

func randomResults(random *rand.Rand, names []string) map[string]expression.Result {
	results := map[string]expression.Result{}
	for _, name := range names {
		results[name] = four[random.IntN(len(four))]
	}
	return results
}

func randomChain(random *rand.Rand, names []string, depth int) sample {
	if depth == 0 || random.IntN(4) == 0 {
		name := names[random.IntN(len(names))]
		return sample{name, func(r expression.Results) expression.Result { return r(name) }}
	}
	a := randomChain(random, names, depth-1)
	if random.IntN(4) == 0 {
		return sample{"!(" + a.text + ")", func(r expression.Results) expression.Result { return not(a.value(r)) }}
	}
	b := randomChain(random, names, depth-1)
	if random.IntN(2) == 0 {
		return sample{
			fmt.Sprintf("(%s)&&(%s)", a.text, b.text),
			func(r expression.Results) expression.Result { return and(a.value(r), b.value(r)) },
		}
	}
	return sample{
		fmt.Sprintf("(%s) || (%s)", a.text, b.text),
		func(r expression.Results) expression.Result { return not(and(not(a.value(r)), not(b.value(r)))) },
	}
}

// and is Kleene's table, with Error for one kind of what is not known.
func and(a, b expression.Result) expression.Result {
	for _, decides := range []expression.Result{v1beta1.CheckFalse, v1beta1.CheckError, v1beta1.CheckUnknown} {
		if a == decides || b == decides {
			return decides
		}
	}
	return v1beta1.CheckTrue
}

func not(a expression.Result) expression.Result {
	switch a {
	case v1beta1.CheckTrue:
		return v1beta1.CheckFalse
	case v1beta1.CheckFalse:
		return v1beta1.CheckTrue
	default:
		return a
	}
}
