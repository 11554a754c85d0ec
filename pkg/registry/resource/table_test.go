// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

var partialTable = Table[*metav1.PartialObjectMetadata]{{
	Heading: metav1.TableColumnDefinition{Name: "Name", Type: "string"},
	Cell:    func(object *metav1.PartialObjectMetadata) any { return object.Name },
}}

func TestConvertToTable(t *testing.T) {
	a := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "5"}}
	b := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "b", ResourceVersion: "6"}}
	listMeta := metav1.ListMeta{ResourceVersion: "7", Continue: "next", RemainingItemCount: ptr.To[int64](3)}
	headings := []metav1.TableColumnDefinition{{Name: "Name", Type: "string"}}
	row := func(object *metav1.PartialObjectMetadata) metav1.TableRow {
		return metav1.TableRow{Cells: []any{object.Name}, Object: runtime.RawExtension{Object: object}}
	}
	tests := map[string]struct {
		object  runtime.Object
		options runtime.Object
		want    *metav1.Table
	}{
		"an object": {
			object: &a,
			want: &metav1.Table{
				ListMeta: metav1.ListMeta{ResourceVersion: "5"}, ColumnDefinitions: headings, Rows: []metav1.TableRow{row(&a)},
			},
		},
		"a list": {
			object: &metav1.PartialObjectMetadataList{ListMeta: listMeta, Items: []metav1.PartialObjectMetadata{a, b}},
			want:   &metav1.Table{ListMeta: listMeta, ColumnDefinitions: headings, Rows: []metav1.TableRow{row(&a), row(&b)}},
		},
		"a later event of a watch": {
			object:  &b,
			options: &metav1.TableOptions{NoHeaders: true},
			want:    &metav1.Table{ListMeta: metav1.ListMeta{ResourceVersion: "6"}, Rows: []metav1.TableRow{row(&b)}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := partialTable.ConvertToTable(context.Background(), test.object, test.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("table differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCellsAreEscaped(t *testing.T) {
	got, err := partialTable.ConvertToTable(t.Context(), &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "a\u202e\x1b[2J"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if cell, want := got.Rows[0].Cells[0], `a\u202e\u001b[2J`; cell != want {
		t.Errorf("got %q, want %q", cell, want)
	}
}

func TestConvertToTableOfAnotherType(t *testing.T) {
	if _, err := partialTable.ConvertToTable(context.Background(), &metav1.Status{}, nil); err == nil {
		t.Error("an object of another type was printed")
	}
}
