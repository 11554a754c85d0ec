// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"github.com/google/cel-go/common/ast"
)

// mix lets lists and maps in an expression have values of several types: it wraps each of them in dyn(). Kubernetes'
// environments refuse them otherwise, but a patch is JSON.
func mix(parsed *ast.AST) {
	m := mixer{make: ast.NewExprFactory(), info: parsed.SourceInfo(), next: ast.MaxID(parsed) + 1}
	ast.PostOrderVisit(parsed.Expr(), ast.NewExprVisitor(m.visit))
}

type mixer struct {
	make ast.ExprFactory
	info *ast.SourceInfo
	// next is an id that no part of the expression has.
	next int64
}

func (m *mixer) visit(e ast.Expr) {
	switch e.Kind() {
	case ast.ListKind:
		list := e.AsList()
		e.SetKindCase(m.make.NewList(e.ID(), m.all(list.Elements()), list.OptionalIndices()))
	case ast.MapKind:
		e.SetKindCase(m.make.NewMap(e.ID(), m.entries(e.AsMap().Entries())))
	}
}

func (m *mixer) all(values []ast.Expr) []ast.Expr {
	wrapped := make([]ast.Expr, 0, len(values))
	for _, value := range values {
		wrapped = append(wrapped, m.dyn(value))
	}
	return wrapped
}

func (m *mixer) entries(entries []ast.EntryExpr) []ast.EntryExpr {
	wrapped := make([]ast.EntryExpr, 0, len(entries))
	for _, entry := range entries {
		e := entry.AsMapEntry()
		if !e.IsOptional() {
			entry = m.make.NewMapEntry(entry.ID(), e.Key(), m.dyn(e.Value()), false)
		}
		wrapped = append(wrapped, entry)
	}
	return wrapped
}

// dyn wraps a value. Errors keep showing where it is.
func (m *mixer) dyn(value ast.Expr) ast.Expr {
	id := m.next
	m.next++
	if place, ok := m.info.GetOffsetRange(value.ID()); ok {
		m.info.SetOffsetRange(id, place)
	}
	return m.make.NewCall(id, dynFunction, value)
}

// dynFunction takes away what is known of a type.
const dynFunction = "dyn"
