// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// What one evaluation may use. CEL's own limit counts what is done, after it was done, by the size of what goes in: a few
// calls of replace made gigabytes. It also looks through all that a loop has left behind for each part of an expression, so
// that 20,000 turns took seconds. These are counted before anything is made, and loops as they turn.
const (
	// maxMadeBytes is how many bytes of text, lists and maps an evaluation makes at most, those included that it needs
	// no more. A list of all 2,000 objects has a tenth of a megabyte.
	maxMadeBytes = 8 << 20
	// maxSteps is how many parts of loops an evaluation goes through at most, or a quarter as many values that it compares:
	// about a tenth of a second.
	maxSteps = 1 << 20
	// stepsPerValue is how many steps the comparison of two values is.
	stepsPerValue = 4
	// madePerStep is how many bytes are made in the time of a step.
	madePerStep = 64
)

// valueBytes is about what a value in a list takes. One in a map takes twice as much.
const valueBytes = 48

// usageVariable is a variable that no expression can name.
const usageVariable = "#usage"

// Budget is what several evaluations may use together. It is not for several goroutines.
type Budget struct{ left int }

// NewBudget returns a budget that has room for so many of the longest evaluations.
func NewBudget(evaluations int) *Budget { return &Budget{evaluations * maxSteps} }

// usage is what one evaluation has used.
type usage struct {
	made, steps int
	// shared is nil if the evaluation shares with no others.
	shared *Budget
}

// usageOf returns what the evaluation has used so far. Literals are made while a program is planned, without an evaluation.
func usageOf(frame *interpreter.ExecutionFrame) *usage {
	if value, found := frame.ResolveName(usageVariable); found {
		return value.(*usage)
	}
	return &usage{}
}

// add ends the evaluation if it used more than it may. An error would not do: "||" ignores one.
func (u *usage) add(made, compared int) {
	// Each addend is checked by itself, so that the sums do not overflow.
	if u.made += min(made, maxMadeBytes+1); u.made > maxMadeBytes || made < 0 {
		panic(interpreter.EvalCancelledError{Message: fmt.Sprintf("the expression makes more than %d MiB of texts and lists", maxMadeBytes>>20)})
	}
	if compared < 0 {
		compared = maxSteps
	}
	u.step(min(compared, maxSteps)*stepsPerValue + made/madePerStep)
}

func (u *usage) step(count int) {
	if u.steps += count; u.steps > maxSteps {
		panic(interpreter.EvalCancelledError{Message: "the expression takes too many steps: its loops turn too often, or it compares too many values"})
	}
	if u.shared == nil {
		return
	}
	if u.shared.left -= count; u.shared.left < 0 {
		panic(interpreter.EvalCancelledError{Message: "all expressions together take too many steps: their loops turn too often, or they compare too many values"})
	}
}

// guard is for CEL's planner: it has each call and each literal of a program count what it makes before it is made.
func guard(env *cel.Env) interpreter.InterpretableDecoratorV2 {
	return func(node interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		switch n := node.(type) {
		case interpreter.InterpretableConstructor:
			return guardLiteral(n), nil
		case interpreter.InterpretableCall:
			switch n.Function() {
			case wholeFunction:
				return &whole{n, n.Args()[0]}, nil
			case turnFunction:
				return newTurn(n), nil
			}
			return guardCall(env, n)
		default:
			return node, nil
		}
	}
}

// guardedLiteral is a literal list or map that is made anew in each round of a loop.
type guardedLiteral struct {
	interpreter.InterpretableConstructor
	bytes int
}

func guardLiteral(literal interpreter.InterpretableConstructor) interpreter.InterpretableV2 {
	values := literal.InitVals()
	isConstant := !slices.ContainsFunc(values, func(v interpreter.InterpretableV2) bool {
		_, is := v.(interpreter.InterpretableConst)
		return !is
	})
	if isConstant {
		return literal // the planner makes it once
	}
	return &guardedLiteral{literal, valueBytes * (1 + len(values))}
}

// Exec implements interpreter.InterpretableV2.
func (g *guardedLiteral) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	usageOf(frame).add(g.bytes, 0)
	return g.InterpretableConstructor.Exec(frame)
}

// Eval implements interpreter.Interpretable.
func (g *guardedLiteral) Eval(in interpreter.Activation) ref.Val {
	return g.Exec(interpreter.AsFrame(in))
}

// guardedCall is a call of a function that makes or compares more than its arguments have.
type guardedCall struct {
	interpreter.InterpretableCall
	args []interpreter.InterpretableV2
	// shown are the arguments for CEL, which makes another call of one with a constant regular expression, and drops this one.
	shown []interpreter.InterpretableV2
	cost  cost
	does  functions.FunctionOp
}

// Args implements interpreter.InterpretableCall.
func (g *guardedCall) Args() []interpreter.InterpretableV2 { return g.shown }

func guardCall(env *cel.Env, call interpreter.InterpretableCall) (interpreter.InterpretableV2, error) {
	cost, isCostly := costs[call.Function()]
	if !isCostly {
		return call, nil
	}
	does, err := implementation(env, call)
	if err != nil {
		return nil, err
	}
	args := call.Args()
	shown := args
	if pattern, isConstant := constantRegex(call); isConstant {
		size, _, err := regexSize(pattern)
		if err != nil {
			return nil, err
		}
		shown = slices.Clone(args)
		shown[0] = &guardedText{args[0], size}
	}
	return &guardedCall{call, args, shown, cost, does}, nil
}

// constantRegex returns the regular expression of a call that has a constant one: CEL makes that once.
func constantRegex(call interpreter.InterpretableCall) (pattern ref.Val, isConstant bool) {
	if !isRegex[call.Function()] || len(call.Args()) < 2 {
		return nil, false
	}
	constant, isConstant := call.Args()[1].(interpreter.InterpretableConst)
	if !isConstant {
		return nil, false
	}
	return constant.Value(), true
}

// guardedText is a text that a constant regular expression of a size is tried on.
type guardedText struct {
	interpreter.InterpretableV2
	size int
}

// Exec implements interpreter.InterpretableV2.
func (g *guardedText) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	value := g.InterpretableV2.Exec(frame)
	usageOf(frame).add(0, matchSteps(value, g.size))
	return value
}

// Eval implements interpreter.Interpretable.
func (g *guardedText) Eval(in interpreter.Activation) ref.Val {
	return g.Exec(interpreter.AsFrame(in))
}

// Exec implements interpreter.InterpretableV2.
func (g *guardedCall) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	values := make([]ref.Val, len(g.args))
	for i, arg := range g.args {
		if values[i] = arg.Exec(frame); types.IsUnknownOrError(values[i]) {
			return values[i]
		}
	}
	if made, steps := g.cost(values); made != 0 || steps != 0 {
		usageOf(frame).add(made, steps)
	}
	return types.LabelErrNode(g.ID(), g.does(values...))
}

// Eval implements interpreter.Interpretable.
func (g *guardedCall) Eval(in interpreter.Activation) ref.Val {
	return g.Exec(interpreter.AsFrame(in))
}

// implementation returns what CEL would call.
func implementation(env *cel.Env, call interpreter.InterpretableCall) (functions.FunctionOp, error) {
	switch call.Function() {
	case operators.Equals:
		return func(args ...ref.Val) ref.Val { return types.Equal(args[0], args[1]) }, nil
	case operators.NotEquals:
		return func(args ...ref.Val) ref.Val { return types.Bool(types.Equal(args[0], args[1]) != types.True) }, nil
	}
	bindings, err := env.Functions()[call.Function()].Bindings()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{call.OverloadID(), call.Function()} {
		for _, o := range bindings {
			if o.Operator == name {
				return operation(call.Function(), o), nil
			}
		}
	}
	return nil, fmt.Errorf("function %s has no implementation", call.Function())
}

func operation(function string, o *functions.Overload) functions.FunctionOp {
	return func(args ...ref.Val) ref.Val {
		switch {
		case o.OperandTrait != 0 && !args[0].Type().HasTrait(o.OperandTrait):
		case o.Unary != nil && len(args) == 1:
			return o.Unary(args[0])
		case o.Binary != nil && len(args) == 2:
			return o.Binary(args[0], args[1])
		case o.Function != nil:
			return o.Function(args...)
		}
		return types.NewErr("no such overload: %s", function)
	}
}
