// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"errors"

	"github.com/google/cel-go/interpreter"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
)

// maxErrorBytes is the most bytes of an error of an evaluation, which may quote the input.
const maxErrorBytes = 256

// evaluationError says why an expression has no value, for people to read. It is an *Error if the expression uses too much.
func evaluationError(err error) error {
	var tooMuch interpreter.EvalCancelledError
	if errors.As(err, &tooMuch) {
		return &Error{Message: tooMuch.Message}
	}
	return errors.New(quote.Cut(readable(err.Error()), maxErrorBytes))
}
