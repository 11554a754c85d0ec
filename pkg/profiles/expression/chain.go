// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Result is the result of a check or of a chain: True, False, Error or Unknown. A chain takes anything else for Unknown.
type Result = v1beta1.CheckResult

// Results gives the result of each check, by its name. It is asked more than once for the same name.
type Results func(name string) Result

// Chain is a chain of checks. It does not change, so many may use it at the same time.
type Chain struct {
	root  link
	names []string
}

// Parse parses a chain. Its names must be among those of the checks. The error is an *Error that says where the chain
// is wrong, and what would be right.
func Parse(source string, checks []string) (*Chain, error) {
	root, err := parse(source, checks)
	if err != nil {
		return nil, err
	}
	return &Chain{root: root, names: distinct(root.names(nil))}, nil
}

// Names returns the names of the checks, each once, in the order of the chain.
func (c *Chain) Names() []string { return append([]string(nil), c.names...) }

// Evaluate returns the result of the chain in Kleene's logic, and the decisive checks, each once, in the order of the
// chain. An Error and an Unknown both give way to a check that decides alone: "passes || fails" is True. If both are
// left, Error wins.
//
// If the result is True or False, it stays the same whatever the checks that are not decisive say. If several checks
// decide alone, the first of them is the decisive one. If the result is Error or Unknown, the decisive checks are those
// with that result that would have to be known.
func (c *Chain) Evaluate(results Results) (result Result, decisive []string) {
	result, deciding := c.root.evaluate(results)
	return result, c.inOrder(deciding)
}

// EvaluateSparing is Evaluate for chains in which some checks cost something if they are decisive, such as a place of a
// pool. These checks are decisive only if the others do not decide without them, wherever they are in the chain: in
// "stagger || urgent", stagger costs nothing while urgent is True.
func (c *Chain) EvaluateSparing(results Results, costs func(name string) bool) (result Result, decisive []string) {
	result, decisive = c.Evaluate(results)
	if !known(result) {
		return result, decisive
	}
	spared := map[string]bool{}
	for _, name := range c.names {
		if !costs(name) {
			continue
		}
		spared[name] = true
		if r, _ := c.root.evaluate(without(results, spared)); r != result {
			delete(spared, name)
		}
	}
	return c.Evaluate(without(results, spared))
}

// Wants returns the checks that are not known and whose results could still change the result of the chain, in the
// order of the chain. The others need not be asked. None, if the result is True or False.
//
// To learn whether an answer still matters that is known already, let results say Unknown for it. If the chain has a
// check twice, Wants may name one too many.
func (c *Chain) Wants(results Results) []string {
	return c.inOrder(c.root.wants(results, nil))
}

func (c *Chain) inOrder(names []string) []string {
	given := map[string]bool{}
	for _, name := range names {
		given[name] = true
	}
	var ordered []string
	for _, name := range c.names {
		if given[name] {
			ordered = append(ordered, name)
		}
	}
	return ordered
}

// without hides the results of some checks.
func without(results Results, hidden map[string]bool) Results {
	return func(name string) Result {
		if hidden[name] {
			return v1beta1.CheckUnknown
		}
		return results(name)
	}
}

func distinct(names []string) []string {
	seen := map[string]bool{}
	var kept []string
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			kept = append(kept, name)
		}
	}
	return kept
}
