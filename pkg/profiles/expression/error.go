// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import "fmt"

// Error is the reason why a chain or an expression is refused.
type Error struct {
	// Line and Column are where it is wrong, in characters from 1; 0 if it is not about one place.
	Line, Column int
	// Message says what is wrong, and what would be right.
	Message string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}
