// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Find returns the stored object of that type and name; nil when there is none. For what has no
// namespace that is empty. The object must not be changed.
func Find[T Object](s *Store, namespace, name string) T {
	var none T
	found, _ := s.table(resourceOf(none)).objects[types.NamespacedName{Namespace: namespace, Name: name}].(T)
	return found
}

// All returns all stored objects of a type, ordered by namespace and name. They must not be changed.
func All[T Object](s *Store) []T {
	var none T
	sorted := s.table(resourceOf(none)).inOrder()
	all := make([]T, 0, len(sorted))
	for _, object := range sorted {
		all = append(all, object.(T))
	}
	return all
}

// inOrder are all objects, in an order that does not change from run to run.
func (t *table) inOrder() []Object {
	if t.sorted == nil {
		t.sorted = slices.SortedFunc(maps.Values(t.objects), func(a, b Object) int {
			return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
		})
	}
	return t.sorted
}

// inNamespace says whether a list or a watch of that namespace has the object; empty: of all.
func inNamespace(namespace string, object Object) bool {
	return namespace == "" || object.GetNamespace() == namespace
}

// selects evaluates the field selectors that the engine uses.
func selects(selector fields.Selector, object Object) bool {
	switch o := object.(type) {
	case *corev1.Pod:
		return selector.Matches(fields.Set{"spec.nodeName": o.Spec.NodeName})
	case *v1beta1.NodeMaintenance:
		return selector.Matches(fields.Set{v1beta1.FieldNodeName: o.Spec.NodeName})
	default:
		return true
	}
}
