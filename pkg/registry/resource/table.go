// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metatable "k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
)

// Column is one column of the table that kubectl prints for objects of type T.
type Column[T runtime.Object] struct {
	// Heading names and describes the column. A priority above 0 shows it only
	// with -o wide.
	Heading metav1.TableColumnDefinition
	// Cell is what the column shows for an object.
	Cell func(object T) any
}

const (
	// None is what kubectl shows where there is nothing to show.
	None = "<none>"
	// Unknown is what kubectl shows where the server has not looked yet.
	Unknown = "<unknown>"
	// Wide is the priority of the columns that only -o wide shows.
	Wide = 1
)

// NewColumn returns a column of texts. format is "name" for that of the names; empty for others.
func NewColumn[T runtime.Object](name, format, description string, priority int32, cell func(T) any) Column[T] {
	return Column[T]{
		Heading: metav1.TableColumnDefinition{Name: name, Type: "string", Format: format, Description: description, Priority: priority},
		Cell:    cell,
	}
}

// NewCountColumn returns a column of numbers.
func NewCountColumn[T runtime.Object](name, description string, priority int32, cell func(T) any) Column[T] {
	column := NewColumn(name, "", description, priority, cell)
	column.Heading.Type = "integer"
	return column
}

// NewAgeColumn returns a column that shows how old an object is.
func NewAgeColumn[T interface {
	runtime.Object
	metav1.Object
}](description string, priority int32,
) Column[T] {
	return NewColumn("Age", "", description, priority, func(object T) any {
		return metatable.ConvertToHumanReadableDateType(object.GetCreationTimestamp())
	})
}

// Table prints objects of type T. It is a rest.TableConvertor.
type Table[T runtime.Object] []Column[T]

var _ rest.TableConvertor = Table[runtime.Object]{}

// ConvertToTable makes a row of an object, or of each object of a list.
func (t Table[T]) ConvertToTable(_ context.Context, object, tableOptions runtime.Object) (*metav1.Table, error) {
	rows, err := metatable.MetaToTableRow(object, t.cells)
	if err != nil {
		return nil, fmt.Errorf("could not print %T as a table: %w", object, err)
	}
	table := &metav1.Table{Rows: rows}
	if options, ok := tableOptions.(*metav1.TableOptions); !ok || !options.NoHeaders {
		table.ColumnDefinitions = t.headings()
	}
	copyListMeta(object, table)
	return table, nil
}

func (t Table[T]) headings() []metav1.TableColumnDefinition {
	headings := make([]metav1.TableColumnDefinition, 0, len(t))
	for _, column := range t {
		headings = append(headings, column.Heading)
	}
	return headings
}

func (t Table[T]) cells(obj runtime.Object, _ metav1.Object, _, _ string) ([]any, error) {
	object, ok := obj.(T)
	if !ok {
		return nil, fmt.Errorf("expected %T, got %T", *new(T), obj)
	}
	cells := make([]any, 0, len(t))
	for _, column := range t {
		cells = append(cells, shown(column.Cell(object)))
	}
	return cells, nil
}

// shown escapes what a terminal would obey, or would not show, in a text that users wrote.
func shown(cell any) any {
	if written, ok := cell.(string); ok {
		return text.Escape(written)
	}
	return cell
}

// copyListMeta keeps what a client needs to page through tables and to start a
// watch from one.
func copyListMeta(object runtime.Object, table *metav1.Table) {
	if list, err := meta.ListAccessor(object); err == nil {
		table.ResourceVersion = list.GetResourceVersion()
		table.Continue = list.GetContinue()
		table.RemainingItemCount = list.GetRemainingItemCount()
		return
	}
	if single, err := meta.CommonAccessor(object); err == nil {
		table.ResourceVersion = single.GetResourceVersion()
	}
}
