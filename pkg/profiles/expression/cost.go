// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxEstimate is the estimated cost with which an expression is refused: a second. The limit of each evaluation is a
// tenth of it. An estimate supposes the worst, so what may well stay below is admitted.
const maxEstimate = celconfig.RuntimeCELCostBudget

// How large values are supposed to be. Those that an expression makes itself are counted when it is evaluated: see guard.go.
const (
	// manyObjects is for objects and for lists of answers.
	manyObjects = 2000
	// fewItems is for lists in an object, such as its conditions, and for the characters of its texts.
	fewItems = 30
)

// estimate refuses an expression that would take too long, such as one that compares all objects with all others.
func (d *declaration) estimate(checked *cel.Ast) error {
	env := d.envs().NewExpressionsEnv()
	cost, err := env.EstimateCost(checked, &library.CostEstimator{SizeEstimator: sizes{}})
	if err != nil {
		return &Error{Message: readable(err.Error())}
	}
	if cost.Max > maxEstimate {
		return &Error{Message: fmt.Sprintf("would take too long: its estimated cost is %d, and at most %d is allowed;"+
			" avoid loops in loops", cost.Max, maxEstimate)}
	}
	return nil
}

// sizes supposes how large values are whose sizes are not known.
type sizes struct{}

// EstimateSize implements checker.CostEstimator.
func (sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	return &checker.SizeEstimate{Min: 0, Max: most(element.Path())}
}

// EstimateCallCost implements checker.CostEstimator: the functions of Kubernetes have their own.
func (sizes) EstimateCallCost(_, _ string, _ *checker.AstNode, _ []checker.AstNode) *checker.CallEstimate {
	return nil
}

func most(path []string) uint64 {
	switch {
	case len(path) == 1 && path[0] == objectsVariable.name:
		return manyObjects
	case len(path) == 2 && path[0] == responseVariable.name && path[1] == "body":
		return v1beta1.MaxAnswerBytes
	case len(path) <= 3 && len(path) > 0 && path[0] == responseVariable.name:
		return manyObjects
	default:
		return fewItems
	}
}
