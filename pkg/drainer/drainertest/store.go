// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Object is what a Store holds. An object in a store is never changed, only replaced.
type Object interface {
	runtime.Object
	metav1.Object
}

// KeyOf is the namespace and the name of an object.
func KeyOf(object metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}

// Store keeps objects with their resource versions, and every change that led to them: a watch goes
// on from exactly where a list ended. Its methods are to be called under the lock of its Server.
type Store struct {
	version int
	tables  map[schema.GroupVersionResource]*table
	watches map[*serverWatch]struct{}
	// changed is told of every change; after is nil when the object is removed.
	changed func(before, after Object)
}

// table holds the objects of one resource.
type table struct {
	objects map[types.NamespacedName]Object
	// sorted are the objects in their order; nil when that has to be made anew.
	sorted []Object
	events []event
}

// event is one change of one object.
type event struct {
	kind    watch.EventType
	object  Object
	version int
	at      time.Time
}

func newStore(changed func(before, after Object)) *Store {
	return &Store{
		tables:  map[schema.GroupVersionResource]*table{},
		watches: map[*serverWatch]struct{}{},
		changed: changed,
	}
}

func (s *Store) table(of schema.GroupVersionResource) *table {
	if s.tables[of] == nil {
		s.tables[of] = &table{objects: map[types.NamespacedName]Object{}}
	}
	return s.tables[of]
}

// Version is the resource version of the last change; 0 before the first.
func (s *Store) Version() int { return s.version }

// Put stores an object, new or not, under a new resource version. The caller must not touch the
// object any more.
func (s *Store) Put(object Object) {
	table, kind := s.table(resourceOf(object)), watch.Modified
	before := table.objects[KeyOf(object)]
	if before == nil {
		kind = watch.Added
	}
	s.note(table, kind, object)
	table.objects[KeyOf(object)] = object
	if s.changed != nil {
		s.changed(before, object)
	}
}

// Remove takes out the stored object of the same kind and name, whatever finalizers it has.
func (s *Store) Remove(object Object) {
	table := s.table(resourceOf(object))
	before := table.objects[KeyOf(object)]
	delete(table.objects, KeyOf(object))
	s.note(table, watch.Deleted, before.DeepCopyObject().(Object))
	if s.changed != nil {
		s.changed(before, nil)
	}
}

// note appends a change, and has all watches look for it.
func (s *Store) note(table *table, kind watch.EventType, object Object) {
	s.version++
	object.SetResourceVersion(strconv.Itoa(s.version))
	table.sorted = nil
	table.events = append(table.events, event{kind: kind, object: object, version: s.version, at: time.Now()})
	for w := range s.watches {
		w.nudge()
	}
}

// list answers a list request for one namespace, or for all if that is empty, with copies: informers change
// what they get.
func (s *Store) list(resource schema.GroupVersionResource, namespace string, selector fields.Selector) (runtime.Object, error) {
	var items []runtime.Object
	for _, object := range s.table(resource).inOrder() {
		if inNamespace(namespace, object) && selects(selector, object) {
			items = append(items, object.DeepCopyObject())
		}
	}
	list := newList(resource)
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	list.(metav1.ListInterface).SetResourceVersion(strconv.Itoa(s.version))
	return list, nil
}
