// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxRegexSize is how many instructions a regular expression may have. Each of them may be tried at each character of a text.
const maxRegexSize = 1000

// isRegex are the functions that take a regular expression.
var isRegex = map[string]bool{"matches": true, "find": true, "findAll": true}

func matched(a []ref.Val) (made, steps int) {
	size, compiling, err := regexSize(a[1])
	if err != nil {
		panic(interpreter.EvalCancelledError{Message: err.Error()})
	}
	return 0, compiling + matchSteps(a[0], size)
}

// matchSteps is for a regular expression of a size that is tried on a text.
func matchSteps(value ref.Val, size int) int {
	const perStep = 256 // a comparison takes as long as so many steps of a regular expression
	return text(value) * size / perStep
}

// checkRegexes refuses regular expressions that are too large. CEL compiles those that are written out while it checks types.
func checkRegexes(parsed *ast.AST) error {
	var wrong error
	ast.PreOrderVisit(parsed.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || !isRegex[e.AsCall().FunctionName()] {
			return
		}
		for _, arg := range e.AsCall().Args() {
			if arg.Kind() == ast.LiteralKind && wrong == nil {
				_, _, wrong = regexSize(arg.AsLiteral())
			}
		}
	}))
	if wrong != nil {
		return &Error{Message: wrong.Error()}
	}
	return nil
}

// How long it takes to read a regular expression, which is done each time that it is made anew.
const (
	// maxFolded is how many wide ranges one may have that ignores case: each character of them is looked up, which takes
	// milliseconds for each range.
	maxFolded = 4
	// foldedSteps is how many steps a wide range takes.
	foldedSteps = 1 << 14
	// bytesPerStep and boundsPerStep are how many bytes, and how many bounds of ranges, are read in a step. Classes such as
	// \pL have 1,300 bounds.
	bytesPerStep, boundsPerStep = 4, 4
	// brokenSteps is how many steps each byte of one takes that cannot be read, whatever it names before it ends.
	brokenSteps = 64
	// boundsPerInstruction is how many bounds of ranges take as much memory as an instruction.
	boundsPerInstruction = 32
)

// folds finds that a regular expression, or a part of it, ignores case, and wide a character beyond ASCII.
var (
	folds = regexp.MustCompile(`\(\?[a-zA-Z]*i`)
	wide  = regexp.MustCompile(`\\x|[^\x00-\x7f]`)
)

// regexSize says how many instructions a regular expression has, about, and how many steps it takes to make it. It refuses
// those that have too many, before they are made. The size of one that cannot be read, which CEL says itself, is 0.
func regexSize(pattern ref.Val) (size, compiling int, err error) {
	text, isText := pattern.(types.String)
	if !isText {
		return 0, 0, nil
	}
	source := string(text)
	if len(source) > v1beta1.MaxExpressionBytes {
		return 0, 0, fmt.Errorf("a regular expression has at most %d bytes, and this one has %d", v1beta1.MaxExpressionBytes, len(source))
	}
	if folds.MatchString(source) && wide.MatchString(source) {
		ranges := strings.Count(source, "-") + strings.Count(source, "[^")
		if ranges > maxFolded {
			return 0, 0, fmt.Errorf("a regular expression that ignores case, with (?i), and has characters beyond ASCII may have"+
				" at most %d ranges such as a-z, and this one has %d", maxFolded, ranges)
		}
		compiling = ranges * foldedSteps
	}
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return 0, compiling + len(source)*brokenSteps, nil //nolint:nilerr // CEL says what is wrong
	}
	size, bounds := instructions(parsed)
	if size > maxRegexSize {
		return 0, 0, fmt.Errorf("a regular expression is too large: with its repetitions it has about %d steps, and at most %d are allowed", size, maxRegexSize)
	}
	return size, compiling + 1 + len(source)/bytesPerStep + bounds/boundsPerStep, nil
}

// instructions counts the instructions of a regular expression, about, and the bounds of the ranges in its classes.
func instructions(re *syntax.Regexp) (size, bounds int) {
	size = 1
	switch re.Op {
	case syntax.OpLiteral:
		size = len(re.Rune)
	case syntax.OpCharClass:
		bounds = len(re.Rune)
		size += bounds / boundsPerInstruction
	}
	for _, sub := range re.Sub {
		more, moreBounds := instructions(sub)
		size, bounds = size+more, bounds+moreBounds
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return size, bounds
}
