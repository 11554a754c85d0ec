// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/lru"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/crashguard"
)

// Validate says whether an expression may be admitted: it has only functions that the version before has, too, its value
// has the right type as far as that is known, and it does not take too long. The error is an *Error.
func (e *Environment[T]) Validate(source string) error {
	if err := e.admit(source); err != nil {
		return err
	}
	return e.try(source)
}

// admit is Validate as far as the expression is not evaluated.
func (e *Environment[T]) admit(source string) (err error) {
	_, seat, err := e.begin(source)
	if err != nil {
		return err
	}
	defer crashguard.Process.Leave(seat)
	defer recovered(&err)
	checked, err := e.check(e.envs().NewExpressionsEnv(), source, nil)
	if err != nil {
		return err
	}
	if err := checkFields(checked.NativeRep()); err != nil {
		return err
	}
	return e.estimate(checked)
}

// trialSteps is how many steps an expression may take when it is written. A profile has 64 of them at most, and the values
// that it is tried with have little in them.
const trialSteps = maxSteps / 16

// longNode is a node whose name is as long as it can be.
var longNode = Input{Node: map[string]any{"metadata": map[string]any{"name": strings.Repeat("n", validation.DNS1123SubdomainMaxLength)}}}

// try evaluates the expression, so that one that would use too much is refused already when it is written. With samples, it
// may fail with some of them, but not with all: that would be a type which only an evaluation shows, such as "value + 1", a
// number with a fraction and one without.
func (e *Environment[T]) try(source string) error {
	program, err := e.Compile(source)
	if err != nil {
		return err
	}
	var tooMuch *Error
	in := longNode
	in.Budget = &Budget{trialSteps}
	if _, err = program.Evaluate(context.Background(), in); errors.As(err, &tooMuch) {
		return tooMuch
	}
	for _, sample := range e.samples {
		if _, err = program.Evaluate(context.Background(), sample); err == nil {
			return nil
		}
	}
	if err != nil && len(e.samples) > 0 {
		return &Error{Message: fmt.Sprintf("has no value with any number: %v; write 1.0 instead of 1 to count with it", err)}
	}
	return nil
}

// Compile makes a program of an expression that was admitted, or takes the one that it has made before. The error is an
// *Error: an expression that a newer version has admitted may have functions that this one does not know.
func (e *Environment[T]) Compile(source string) (*Program[T], error) {
	key := cacheKey{e.name, source}
	if cached, ok := programs.Get(key); ok {
		return cached.(*Program[T]), nil
	}
	made, err := e.program(source)
	if err != nil {
		return nil, err
	}
	programs.add(key, made)
	return made, nil
}

func (e *Environment[T]) program(source string) (_ *Program[T], err error) {
	text, seat, err := e.begin(source)
	if err != nil {
		return nil, err
	}
	defer crashguard.Process.Leave(seat)
	defer recovered(&err)
	env := e.envs().StoredExpressionsEnv()
	checked, err := e.check(env, source, countTurns)
	if err != nil {
		return nil, err
	}
	made, err := env.Program(checked, cel.CustomDecoratorV2(guard(env)))
	if err != nil {
		return nil, &Error{Message: readable(err.Error())}
	}
	return &Program[T]{environment: e, text: text, program: made}, nil
}

// begin is enter for an expression that is to be compiled.
func (d *declaration) begin(source string) (text crashguard.Text, seat int, err error) {
	if err := sized(source, d.most); err != nil {
		return text, 0, err
	}
	text = crashguard.TextOf(source)
	seat, err = enter(context.Background(), text)
	return text, seat, err
}

// recovered turns a panic of CEL into an error: it makes literals while it compiles, also those that cannot be.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = &Error{Message: fmt.Sprintf("CEL cannot compile it, such as a map with bytes as keys: %v", r)}
	}
}

// check parses the expression and checks the types. What it has parsed is rewritten before, unless that is nil.
func (d *declaration) check(env *cel.Env, source string, rewrite func(*ast.AST)) (*cel.Ast, error) {
	if err := d.checkExpanded(source); err != nil {
		return nil, err
	}
	parsed, issues := env.Parse(source)
	if len(issues.Errors()) > 0 { // issues.Err() would write each of them, with the whole source
		return nil, d.refusal(source, issues)
	}
	if err := checkRegexes(parsed.NativeRep()); err != nil {
		return nil, err
	}
	if d.mixed {
		mix(parsed.NativeRep())
	}
	if rewrite != nil {
		rewrite(parsed.NativeRep())
	}
	checked, issues := env.Check(parsed)
	if len(issues.Errors()) > 0 { // issues.Err() would write each of them, with the whole source
		return nil, d.refusal(source, issues)
	}
	return checked, d.checkValue(checked)
}

// checkValue refuses a value of another type. Whether one of an unknown type is right is seen when it is evaluated.
func (d *declaration) checkValue(checked *cel.Ast) error {
	value := checked.OutputType()
	if value.Kind() == types.DynKind || d.value.IsAssignableType(value) || value.IsAssignableType(d.value) {
		return nil
	}
	return &Error{Message: fmt.Sprintf("the value must be %s, but is of the type %s", d.mustBe, cel.FormatCELType(value))}
}

// programs are kept by their texts: the same ones serve many nodes and generations.
var programs = newProgramCache()

type cacheKey struct{ environment, source string }

// maxCachedBytes is how many bytes the texts of all programs that are kept have. A program takes 80 times as much as its text
// at most (4,000 bytes of short loops: 300 KiB), so all of them take 20 MiB.
const maxCachedBytes = 256 << 10

// programCache keeps the programs that were used last.
type programCache struct {
	*lru.Cache
	adding sync.Mutex
	bytes  int // of the texts
}

func newProgramCache() *programCache {
	c := &programCache{}
	c.Cache = lru.NewWithEvictionFunc(maxCachedBytes, func(key lru.Key, _ any) { c.bytes -= len(key.(cacheKey).source) })
	return c
}

func (c *programCache) add(key cacheKey, program any) {
	c.adding.Lock()
	defer c.adding.Unlock()
	if _, known := c.Get(key); known {
		return
	}
	c.Add(key, program)
	for c.bytes += len(key.source); c.bytes > maxCachedBytes; {
		c.RemoveOldest()
	}
}
