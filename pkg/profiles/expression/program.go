// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"context"
	"errors"

	"github.com/google/cel-go/cel"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/crashguard"
)

// Program is an expression that is ready to be evaluated. It does not change, so many may use it at the same time.
type Program[T Value] struct {
	environment *Environment[T]
	text        crashguard.Text
	program     cel.Program
}

// Evaluate returns the value of the expression. It takes about a tenth of a second at most, as Kubernetes' own expressions do,
// and makes 8 MiB of texts and lists at most. It waits while too many others are evaluated, until the context ends. The input
// is not changed. The error says in a sentence why there is no value, such as a field that does not exist; it may quote
// a few words of the input. It is an *Error if the expression uses more than it may, or if a process has died of it.
func (p *Program[T]) Evaluate(ctx context.Context, in Input) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	seat, err := enter(ctx, p.text)
	if err != nil {
		return none, err
	}
	defer crashguard.Process.Leave(seat)
	value, _, err := p.program.Eval(p.environment.activation(in))
	if err != nil {
		return none, evaluationError(err)
	}
	return p.environment.convert(value)
}

// enter has what is done with the text noted, until the seat is left. The error is an *Error if a process has died of it.
func enter(ctx context.Context, text crashguard.Text) (seat int, err error) {
	seat, err = crashguard.Process.Enter(ctx, text)
	var refused crashguard.RefusedError
	if errors.As(err, &refused) {
		return 0, &Error{Message: refused.Error()}
	}
	return seat, err
}
