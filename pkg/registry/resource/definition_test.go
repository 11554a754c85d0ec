// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
)

// A missing part of a definition is an error that names the part, not a panic in a request.
func TestIncompleteDefinition(t *testing.T) {
	_, err := NewStorage(Definition{Group: "example.com", Plural: "widgets"}, generic.RESTOptions{})
	if err == nil {
		t.Fatal("an incomplete definition was accepted")
	}
	for _, want := range []string{"widgets.example.com", "singular", "constructor", "strategy", "columns"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not speak of %q: %v", want, err)
		}
	}
}

// A list by the indexed field asks for an index that the watch cache has.
func TestIndexedField(t *testing.T) {
	d := Definition{
		IndexedField: "spec.color",
		Fields: func(runtime.Object) fields.Set {
			return fields.Set{"spec.color": "red", "spec.size": "2"}
		},
	}
	options := d.storeOptions(generic.RESTOptions{})
	byColor := d.predicate(labels.Everything(), fields.OneTermEqualSelector("spec.color", "red"))
	asked := byColor.MatcherIndex(context.Background())
	if len(asked) != 1 {
		t.Fatalf("a list by color asks for the indexes %v, want one", asked)
	}
	index, ok := (*options.Indexers)[asked[0].IndexName]
	if !ok {
		t.Fatalf("there is no index %s", asked[0].IndexName)
	}
	object := &metav1.PartialObjectMetadata{}
	if values, err := index(object); err != nil || len(values) != 1 || values[0] != asked[0].Value {
		t.Errorf("the index has the object under %v (error %v), want %s", values, err, asked[0].Value)
	}
	if value := options.TriggerFunc["spec.color"](object); value != "red" {
		t.Errorf("watches find the object under %q, want red", value)
	}

	bySize := d.predicate(labels.Everything(), fields.OneTermEqualSelector("spec.size", "2"))
	if asked := bySize.MatcherIndex(context.Background()); len(asked) != 0 {
		t.Errorf("a list by size asks for the indexes %v, want none", asked)
	}
}
