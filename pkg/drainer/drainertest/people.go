// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// What follows acts as people and other controllers do, behind the back of the server's clients, and
// takes the lock itself.

// Add stores copies of objects that are new.
func (s *Server) Add(objects ...Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, object := range objects {
		if s.Store.table(resourceOf(object)).objects[KeyOf(object)] != nil {
			panic(fmt.Sprintf("%s %s is there already", resourceOf(object).Resource, KeyOf(object)))
		}
		s.Store.Put(object.DeepCopyObject().(Object))
	}
}

// Replace stores a copy of an object in place of the one of that name.
func (s *Server) Replace(object Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Store.Put(object.DeepCopyObject().(Object))
}

// Remove takes out an object, whatever finalizers it has.
func (s *Server) Remove(object Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Store.Remove(object)
}

// Delete deletes an object, other than a pod: finalizers keep it.
func (s *Server) Delete(object Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deleteObject(object)
}

// Get returns the stored object of that type and name, which must not be changed; nil when there is
// none.
func Get[T Object](s *Server, namespace, name string) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Find[T](s.Store, namespace, name)
}

// Change has the object be changed where it is stored.
func Change[T Object](s *Server, object T, change func(T)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := runtime.Object(Find[T](s.Store, object.GetNamespace(), object.GetName())).DeepCopyObject().(T)
	change(next)
	s.Store.Put(next)
}

// Lose has the server be unable to read an object that it has stored, but for its name and what keep sets.
func Lose[T Object](s *Server, object T, keep func(T)) {
	Change(s, object, func(stored T) {
		name, empty := stored.GetName(), reflect.New(reflect.TypeOf(stored).Elem())
		reflect.ValueOf(stored).Elem().Set(empty.Elem())
		stored.SetName(name)
		stored.SetAnnotations(map[string]string{v1beta1.UnreadableAnnotation: "bits flipped"})
		keep(stored)
	})
}

// StatusWrites is the time when clients have written the status of the NodeMaintenance of that name.
func (s *Server) StatusWrites(hold string) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.statusWrites[hold])
}
