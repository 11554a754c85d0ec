// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"github.com/google/cel-go/common/ast"
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/jsonfields"
)

var nodeShape = jsonfields.Of[corev1.Node]()

// checkFields refuses fields that no node has: the type of the variable is not known to CEL, since its values are JSON.
func checkFields(parsed *ast.AST) error {
	if hidesNode(parsed) {
		return nil
	}
	var wrong error
	ast.PostOrderVisit(parsed.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if wrong != nil || e.Kind() != ast.SelectKind {
			return
		}
		if _, err := nodeShape.At(nodePath(e)...); err != nil {
			wrong = at(parsed.SourceInfo().GetStartLocation(e.ID()), nodeVariable.name+err.Error())
		}
	}))
	return wrong
}

// nodePath returns the fields that an expression goes down from the variable node; none, if it is about something else.
func nodePath(e ast.Expr) []string {
	switch e.Kind() {
	case ast.SelectKind:
		if before := nodePath(e.AsSelect().Operand()); before != nil {
			return append(before, e.AsSelect().FieldName())
		}
	case ast.IdentKind:
		if e.AsIdent() == nodeVariable.name {
			return []string{}
		}
	}
	return nil
}

// hidesNode says whether a loop has a variable of its own with the name of the node.
func hidesNode(parsed *ast.AST) bool {
	hides := false
	ast.PostOrderVisit(parsed.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.ComprehensionKind {
			loop := e.AsComprehension()
			hides = hides || loop.IterVar() == nodeVariable.name || loop.IterVar2() == nodeVariable.name ||
				loop.AccuVar() == nodeVariable.name
		}
	}))
	return hides
}
