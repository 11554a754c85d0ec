// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package external

import (
	"time"

	"k8s.io/client-go/tools/cache"
)

// changes has those looked at that a change of an object concerns.
func (w *watches) changes(known *watched) cache.ResourceEventHandler {
	changed := func(object any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
			w.touch(known, key)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: changed, UpdateFunc: func(_, object any) { changed(object) }, DeleteFunc: changed,
	}
}

// change is what may have changed the answers of those who follow an informer.
type change struct {
	of *watched
	// about is as that of subscriptions.
	about string
}

// touch has those looked at who follow an object. Before the first objects are known, there is nothing to look at.
func (w *watches) touch(known *watched, key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known.objects = nil
	if !known.informer.HasSynced() {
		return
	}
	if known.followers[key] != nil {
		w.queue.AddAfter(change{known, key}, settles)
	}
	if known.followers[everyObject] != nil {
		w.queue.AddAfter(change{known, everyObject}, manySettle)
	}
}

// note keeps how a list or a watch has begun. If that may change answers, all followers are looked at.
func (w *watches) note(known *watched, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := known.trouble
	known.trouble = before.with(err, w.config.Clock.Now())
	if err != nil || before.err != nil {
		w.touchAll(known, settles)
	}
}

// synced has all followers looked at once the objects are known.
func (w *watches) synced(known *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known.objects = nil
	w.touchAll(known, 0)
}

func (w *watches) touchAll(known *watched, after time.Duration) {
	for about := range known.followers {
		w.queue.AddAfter(change{known, about}, after)
	}
}

// concerned returns those whom a change concerns.
func (w *watches) concerned(by change) []*subscription {
	w.mu.Lock()
	defer w.mu.Unlock()
	return by.of.followers[by.about].UnsortedList()
}
