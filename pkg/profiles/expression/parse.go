// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/parser"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/crashguard"
)

// chainParser has no macros: has(a) is not a chain.
var chainParser = newChainParser()

func newChainParser() *parser.Parser {
	p, err := parser.NewParser()
	if err != nil {
		panic(err) // only a wrong option above
	}
	return p
}

// parse parses a chain and refuses all of CEL but the names of the checks and the three operators.
func parse(source string, checks []string) (link, error) {
	if err := sized(source, v1beta1.MaxExpressionBytes); err != nil {
		return link{}, err
	}
	seat, err := enter(context.Background(), crashguard.TextOf(source))
	if err != nil {
		return link{}, err
	}
	defer crashguard.Process.Leave(seat)
	tree, errs := chainParser.Parse(common.NewTextSource(source))
	if found := errs.GetErrors(); len(found) > 0 {
		return link{}, notAChain(source, checks, first(found))
	}
	return chainBuilder{source: source, checks: checks, info: tree.SourceInfo()}.link(tree.Expr())
}

func sized(source string, most int) error {
	if len(source) > most {
		return &Error{Message: fmt.Sprintf("%d bytes are too long: at most %d", len(source), most)}
	}
	if strings.TrimSpace(source) == "" {
		return &Error{Message: "must not be empty"}
	}
	return nil
}

// first returns where the first error is. What cel-go says about the others is often a consequence of it.
func first(errs []*common.Error) common.Location {
	sort.SliceStable(errs, func(i, j int) bool {
		a, b := errs[i].Location, errs[j].Location
		return a.Line() < b.Line() || (a.Line() == b.Line() && a.Column() < b.Column())
	})
	return errs[0].Location
}

// chainBuilder makes links of what cel-go has parsed.
type chainBuilder struct {
	source string
	checks []string
	info   *ast.SourceInfo
}

func (b chainBuilder) link(e ast.Expr) (link, error) {
	switch e.Kind() {
	case ast.IdentKind:
		return b.check(e)
	case ast.CallKind:
		return b.operator(e)
	default:
		return link{}, b.refuse(e)
	}
}

func (b chainBuilder) check(e ast.Expr) (link, error) {
	name := e.AsIdent()
	if !slices.Contains(b.checks, name) {
		return link{}, at(b.info.GetStartLocation(e.ID()), unknownCheck(name, b.checks))
	}
	return link{check: name}, nil
}

func (b chainBuilder) operator(e ast.Expr) (link, error) {
	l := link{}
	switch e.AsCall().FunctionName() {
	case operators.LogicalAnd:
		l.decides = v1beta1.CheckFalse
	case operators.LogicalOr:
		l.decides = v1beta1.CheckTrue
	case operators.LogicalNot:
		l.not = true
	default:
		return link{}, b.refuse(e)
	}
	for _, arg := range e.AsCall().Args() {
		operand, err := b.link(arg)
		if err != nil {
			return link{}, err
		}
		l.operands = append(l.operands, operand)
	}
	return l, nil
}

func (b chainBuilder) refuse(e ast.Expr) error {
	return notAChain(b.source, b.checks, b.info.GetStartLocation(e.ID()))
}

func at(place common.Location, message string) *Error {
	if place.Line() < 1 || place.Column() < 0 {
		return &Error{Message: message}
	}
	return &Error{Line: place.Line(), Column: place.Column() + 1, Message: message}
}
