// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainertest

import (
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
)

// serverWatch delivers the changes of one resource in their order, each as late as its server's lag
// says.
type serverWatch struct {
	server   *Server
	resource schema.GroupVersionResource
	// namespace is the one that is watched; empty: all.
	namespace string
	selector  fields.Selector
	next      int
	results   chan watch.Event
	more      chan struct{}
	stopped   chan struct{}
	stopOnce  sync.Once
}

// bookmarkInterval is the time after which without a change a watch tells that there is none.
const bookmarkInterval = 2 * time.Minute

// watch goes on after the resource version that the request names.
func (s *Server) watch(action clienttesting.Action) (bool, watch.Interface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := action.(clienttesting.WatchAction).GetWatchRestrictions()
	version, _ := strconv.Atoi(asked.ResourceVersion) // empty: from the beginning
	events := s.Store.table(action.GetResource()).events
	next := slices.IndexFunc(events, func(e event) bool { return e.version > version })
	if next < 0 {
		next = len(events)
	}
	started := &serverWatch{
		server: s, resource: action.GetResource(), namespace: action.GetNamespace(), selector: asked.Fields, next: next,
		results: make(chan watch.Event), more: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	s.Store.watches[started] = struct{}{}
	go started.run()
	return true, started, nil
}

// ResultChan is where the changes arrive; it is closed when the watch has ended.
func (w *serverWatch) ResultChan() <-chan watch.Event { return w.results }

// Stop ends the watch. It may be called more than once.
func (w *serverWatch) Stop() { w.stopOnce.Do(func() { close(w.stopped) }) }

// nudge has the watch look for changes. It never blocks.
func (w *serverWatch) nudge() {
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *serverWatch) run() {
	defer close(w.results)
	defer w.forget()
	for {
		event, found := w.take()
		if !found {
			quiet := time.NewTimer(bookmarkInterval)
			select {
			case <-w.more:
				quiet.Stop()
				continue
			case <-quiet.C:
				if !w.deliver(watch.Bookmark, w.bookmark()) {
					return
				}
				continue
			case <-w.stopped:
				quiet.Stop()
				return
			}
		}
		if !pause(w.stopped, time.Until(event.at.Add(w.server.lag(event.version)))) {
			return
		}
		if !w.deliver(event.kind, event.object.DeepCopyObject()) {
			return
		}
	}
}

// deliver says no when the watch was stopped before.
func (w *serverWatch) deliver(kind watch.EventType, object runtime.Object) bool {
	select {
	case w.results <- watch.Event{Type: kind, Object: object}:
		return true
	case <-w.stopped:
		return false
	}
}

// bookmark is the object of an event that tells that there is nothing new.
func (w *serverWatch) bookmark() runtime.Object {
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	items, err := meta.GetItemsPtr(newList(w.resource))
	if err != nil {
		panic(err) // every list has items
	}
	object := reflect.New(reflect.TypeOf(items).Elem().Elem()).Interface().(Object)
	version := w.server.Store.version
	if events := w.server.Store.table(w.resource).events; w.next < len(events) {
		version = events[w.next].version - 1 // that one is to come
	}
	object.SetResourceVersion(strconv.Itoa(version))
	return object
}

// take returns the next change that the watch is to deliver.
func (w *serverWatch) take() (event, bool) {
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	for events := w.server.Store.table(w.resource).events; w.next < len(events); {
		event := events[w.next]
		w.next++
		if inNamespace(w.namespace, event.object) && selects(w.selector, event.object) {
			return event, true
		}
	}
	return event{}, false
}

func (w *serverWatch) forget() {
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	delete(w.server.Store.watches, w)
}

// pause waits, and says whether it could wait to the end.
func pause(stopped <-chan struct{}, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-stopped:
		return false
	}
}
