// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxEstimate is the estimated cost with which an expression is refused: a second, by Kubernetes' reckoning. What an evaluation
// may use has bounds of its own: see guard.go. An estimate supposes the worst, so what may well stay below is admitted.
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

// What an expression may be once its macros are expanded. CEL has no bound of its own: optMap copies what it is called on,
// so that a chain of them doubles with each.
const (
	// maxNodes is how many nodes the tree of one with copies has at most. Without copies, its text is bound enough.
	maxNodes = 1024
	// maxNesting is how deep lists, maps and loops are in each other, or follow on each other, at most. Each makes a type of
	// the one before, and to compare types takes longer with each: 250 of them took 8 seconds.
	maxNesting = 32
	// copyNesting is what a macro that copies counts for.
	copyNesting = 6
)

// macroless parses as CEL does, but expands nothing. It has CEL's own bounds of the depth and of errors.
var macroless = newMacroless()

func newMacroless() *parser.Parser {
	p, err := parser.NewParser(parser.EnableOptionalSyntax(true))
	if err != nil {
		panic(err) // only a wrong option above
	}
	return p
}

// checkExpanded refuses an expression that is too large, before its macros are expanded.
func (d *declaration) checkExpanded(source string) error {
	tree, errs := macroless.Parse(common.NewTextSource(source))
	if len(errs.GetErrors()) > 0 {
		return d.refusal(source, cel.NewIssues(errs))
	}
	is := expandedOf(tree.Expr())
	switch {
	case is.copies && is.nodes > maxNodes:
		return &Error{Message: fmt.Sprintf("is too large: optMap and optFlatMap copy what they are called on, and with its copies"+
			" it has more than %d parts; call fewer of them on the result of another", maxNodes)}
	case is.nesting > maxNesting:
		return &Error{Message: fmt.Sprintf("is nested too deep: at most %d lists, maps and loops may be in each other, or follow on"+
			" each other; optMap and optFlatMap count as %d", maxNesting, copyNesting)}
	}
	return nil
}

// expanded is how large a part of an expression is once its macros are expanded.
type expanded struct {
	nodes, nesting int
	copies         bool // some of the nodes are copies
}

// with adds another part. Two of them are as deep as the deeper one.
func (e expanded) with(other expanded) expanded {
	// The bound keeps sums from overflowing: what is larger is refused.
	return expanded{min(e.nodes+other.nodes, maxNodes+1), max(e.nesting, other.nesting), e.copies || other.copies}
}

func expandedOf(e ast.Expr) expanded {
	is := expanded{nodes: 1}
	switch e.Kind() {
	case ast.SelectKind:
		return is.with(expandedOf(e.AsSelect().Operand()))
	case ast.ListKind:
		for _, item := range e.AsList().Elements() {
			is = is.with(expandedOf(item))
		}
		is.nesting++
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			is = is.with(expandedOf(entry.AsMapEntry().Key())).with(expandedOf(entry.AsMapEntry().Value()))
		}
		is.nesting++
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			is = is.with(expandedOf(field.AsStructField().Value()))
		}
		is.nesting++
	case ast.CallKind:
		return expandedCall(e.AsCall())
	}
	return is
}

func expandedCall(call ast.CallExpr) expanded {
	is := expanded{nodes: 1}
	for _, arg := range call.Args() {
		is = is.with(expandedOf(arg))
	}
	if !call.IsMemberFunction() {
		return is
	}
	target := expandedOf(call.Target())
	switch function := call.FunctionName(); {
	case function == "optMap" || function == "optFlatMap":
		is = is.with(expanded{nodes: target.nodes, copies: true}) // and once more below
		is.nesting += copyNesting
	case len(call.Args()) > 1: // such as map(x, ...): a loop makes a list of what its body makes
		is.nesting++
	default:
		return is.with(target)
	}
	deep := min(is.nesting+target.nesting, maxNesting+1)
	is = is.with(target)
	is.nesting = deep
	return is
}
