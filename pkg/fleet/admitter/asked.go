// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"

	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// Checker checks start gates. It answers at once, from memory, and calls Admitter.Wake when an answer changes.
type Checker interface {
	// Answers returns the last answers, for a decision. What changes from then on wakes the admitter. The map is not
	// changed by anybody.
	Answers() map[decision.GateKey]decision.GateAnswer
	// Check says which gates are to be checked from now on, and that answers for others are needed no more.
	Check(keys []decision.GateKey)
}

// PodLoads knows the pods of nodes.
type PodLoads interface {
	// PodLoads says what drains of the nodes would take, as far as it can learn that within 2 seconds. The nodes are
	// in the order in which they are to start.
	PodLoads(ctx context.Context, nodes []string) map[string]decision.PodLoad
}

// answers are the last answers of the checker.
func (a *Admitter) answers() map[decision.GateKey]decision.GateAnswer {
	if a.checker == nil {
		return nil
	}
	return a.checker.Answers()
}

// check has the checker check what the outcome needs.
func (a *Admitter) check(outcome decision.Outcome) {
	if a.checker != nil {
		a.checker.Check(outcome.Check)
	}
}
