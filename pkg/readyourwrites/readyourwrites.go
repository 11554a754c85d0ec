// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package readyourwrites has the last write of a process count until its cache shows it. Without that, a process would act on
// what it has changed already.
package readyourwrites

import (
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Object is a pointer to an object of the API. Nil stands for none.
type Object interface {
	comparable
	metav1.Object
}

// Objects knows objects, by name, as the server has shown them last, if the cache is behind. The zero value knows none.
// One is used for one term of leading.
type Objects[T Object] struct {
	mu      sync.Mutex
	objects map[string]*known[T]
	// gone are the objects that went last, so that an answer from before is not taken for one that is there. Where the next
	// one is noted is next.
	gone [remembered]types.UID
	next int
}

// remembered is how many objects that are gone are remembered: more than go while one answer is on its way.
const remembered = 256

// known is what is known of an object beside the cache.
type known[T Object] struct {
	// shown is what the server has shown last; nil: what the cache shows will do.
	shown T
	// version is the version that the server has shown last.
	version string
	// confirmed says that the server was asked in this term, so that nothing of a former leader is missing.
	confirmed bool
}

// Show notes what the server has shown, as the answer to a read or to a write.
func (o *Objects[T]) Show(object T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.objects == nil {
		o.objects = map[string]*known[T]{}
	}
	if uid := object.GetUID(); uid != "" && slices.Contains(o.gone[:], uid) {
		return
	}
	o.objects[object.GetName()] = &known[T]{shown: object, version: object.GetResourceVersion(), confirmed: true}
}

// Confirmed says whether the server was asked for the object in this term.
func (o *Objects[T]) Confirmed(name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.objects[name] != nil && o.objects[name].confirmed
}

// Knows says whether the version that the cache shows is one that is known already.
func (o *Objects[T]) Knows(cached T) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	entry := o.objects[cached.GetName()]
	return entry != nil && (entry.version == cached.GetResourceVersion() || isOlder(cached.GetResourceVersion(), entry.version))
}

func isOlder(version, than string) bool {
	order, err := resourceversion.CompareResourceVersion(version, than)
	return err == nil && order < 0
}

// Newest returns the newer one of what the cache shows and what was shown; nil if there is none. It is not to be changed.
func (o *Objects[T]) Newest(name string, cached T) T {
	o.mu.Lock()
	defer o.mu.Unlock()
	var none T
	entry := o.objects[name]
	if entry == nil || entry.shown == none {
		return cached
	}
	if cached == none {
		return entry.shown // until the cache shows that it is gone: see Gone
	}
	if isOlder(cached.GetResourceVersion(), entry.shown.GetResourceVersion()) {
		return entry.shown
	}
	entry.shown = none
	return cached
}

// Gone forgets an object that is gone. Without a UID, it is whichever is known.
func (o *Objects[T]) Gone(name string, uid types.UID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var none T
	entry := o.objects[name]
	if uid == "" && entry != nil && entry.shown != none {
		uid = entry.shown.GetUID()
	}
	if uid != "" {
		o.gone[o.next%remembered] = uid
		o.next++
	}
	if entry != nil && (uid == "" || entry.shown == none || entry.shown.GetUID() == uid) {
		delete(o.objects, name)
	}
}

// Doubt has the server be asked for an object again, since it is not known what became of a write.
func (o *Objects[T]) Doubt(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if entry := o.objects[name]; entry != nil {
		entry.confirmed = false
	}
}

// Len is how many objects something is known of beside the cache.
func (o *Objects[T]) Len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.objects)
}
