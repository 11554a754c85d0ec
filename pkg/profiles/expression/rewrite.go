// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// rewriter changes a parsed expression before its types are checked.
type rewriter struct {
	ast.ExprFactory
	info *ast.SourceInfo
	// next is an id that no part of the expression has.
	next int64
}

func newRewriter(parsed *ast.AST) *rewriter {
	return &rewriter{ast.NewExprFactory(), parsed.SourceInfo(), ast.MaxID(parsed) + 1}
}

// around puts a call around a part of the expression. Errors keep showing where that is.
func (r *rewriter) around(part ast.Expr, function string, more ...ast.Expr) ast.Expr {
	id := r.newID(part.ID())
	return r.NewCall(id, function, append([]ast.Expr{part}, more...)...)
}

// newID returns another id for a part.
func (r *rewriter) newID(of int64) int64 {
	id := r.next
	r.next++
	if place, ok := r.info.GetOffsetRange(of); ok {
		r.info.SetOffsetRange(id, place)
	}
	return id
}

// dynFunction takes away what is known of a type.
const dynFunction = "dyn"

// mix lets lists and maps in an expression have values of several types: it wraps each of them in dyn(). Kubernetes'
// environments refuse them otherwise, but a patch is JSON.
func mix(parsed *ast.AST) {
	ast.PostOrderVisit(parsed.Expr(), ast.NewExprVisitor(newRewriter(parsed).mix))
}

func (r *rewriter) mix(e ast.Expr) {
	switch e.Kind() {
	case ast.ListKind:
		list := e.AsList()
		e.SetKindCase(r.NewList(e.ID(), r.all(list.Elements()), list.OptionalIndices()))
	case ast.MapKind:
		e.SetKindCase(r.NewMap(e.ID(), r.entries(e.AsMap().Entries())))
	}
}

func (r *rewriter) all(values []ast.Expr) []ast.Expr {
	wrapped := make([]ast.Expr, 0, len(values))
	for _, value := range values {
		wrapped = append(wrapped, r.around(value, dynFunction))
	}
	return wrapped
}

func (r *rewriter) entries(entries []ast.EntryExpr) []ast.EntryExpr {
	wrapped := make([]ast.EntryExpr, 0, len(entries))
	for _, entry := range entries {
		e := entry.AsMapEntry()
		if !e.IsOptional() {
			entry = r.NewMapEntry(entry.ID(), e.Key(), r.around(e.Value(), dynFunction), false)
		}
		wrapped = append(wrapped, entry)
	}
	return wrapped
}

// Functions that no expression can name. Each gives back its first argument.
const (
	// wholeFunction is around the whole expression.
	wholeFunction = "@whole"
	// turnFunction is around what a loop does in each turn. Its second argument is how many parts that has.
	turnFunction = "@turn"
)

// countFunctions declares them.
var countFunctions = []cel.EnvOption{
	cel.Function(wholeFunction, cel.Overload("whole", []*cel.Type{cel.TypeParamType("A")}, cel.TypeParamType("A"),
		cel.UnaryBinding(func(value ref.Val) ref.Val { return value }))),
	cel.Function(turnFunction, cel.Overload("turn", []*cel.Type{cel.TypeParamType("A"), cel.IntType}, cel.TypeParamType("A"),
		cel.BinaryBinding(func(value, _ ref.Val) ref.Val { return value }))),
}

// countTurns has each turn of each loop of a parsed expression counted.
func countTurns(parsed *ast.AST) {
	r := newRewriter(parsed)
	ast.PostOrderVisit(parsed.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.ComprehensionKind {
			return
		}
		loop := e.AsComprehension()
		count := parts(loop.LoopCondition()) + parts(loop.LoopStep())
		turn := r.around(loop.LoopStep(), turnFunction, r.NewLiteral(r.newID(e.ID()), types.Int(count)))
		e.SetKindCase(r.NewComprehensionTwoVar(e.ID(), loop.IterRange(), loop.IterVar(), loop.IterVar2(), loop.AccuVar(),
			loop.AccuInit(), loop.LoopCondition(), turn, loop.Result()))
	}))
	root := parsed.Expr()
	inner := r.CopyExpr(root)
	inner.RenumberIDs(func(id int64) int64 {
		if id == root.ID() {
			return r.newID(id)
		}
		return id
	})
	root.SetKindCase(r.NewCall(root.ID(), wholeFunction, inner))
}

// parts counts the parts of an expression. Those of loops in it count once more for each of their turns.
func parts(e ast.Expr) (count int) {
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(ast.Expr) { count++ }))
	return count
}

// whole evaluates the expression without CEL's own count of what it costs.
type whole struct {
	interpreter.InterpretableCall
	expression interpreter.InterpretableV2
}

// Exec implements interpreter.InterpretableV2. A frame of its own has no place for CEL's count.
func (w *whole) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return w.expression.Exec(&interpreter.ExecutionFrame{Activation: frame.Activation})
}

// Eval implements interpreter.Interpretable.
func (w *whole) Eval(in interpreter.Activation) ref.Val { return w.Exec(interpreter.AsFrame(in)) }

// turn is what a loop does in each turn.
type turn struct {
	interpreter.InterpretableCall
	step  interpreter.InterpretableV2
	parts int
}

func newTurn(call interpreter.InterpretableCall) *turn {
	count := call.Args()[1].(interpreter.InterpretableConst).Value().(types.Int)
	return &turn{call, call.Args()[0], int(count)}
}

// Exec implements interpreter.InterpretableV2.
func (t *turn) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	usageOf(frame).step(t.parts)
	return t.step.Exec(frame)
}

// Eval implements interpreter.Interpretable.
func (t *turn) Eval(in interpreter.Activation) ref.Val { return t.Exec(interpreter.AsFrame(in)) }
