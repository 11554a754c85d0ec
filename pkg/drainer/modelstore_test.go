// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// modelObject is what the model's store holds. An object in it is never changed, only replaced.
type modelObject interface {
	runtime.Object
	metav1.Object
}

// modelStore keeps objects with their versions and every change that led to them. Unlike the
// trackers of fake clientsets it loses nothing between a list and the watch that goes on from it,
// and its watches may lag.
type modelStore struct {
	version int
	tables  map[schema.GroupVersionResource]*modelTable
	watches map[*modelWatch]struct{}
}

type modelTable struct {
	objects map[types.NamespacedName]modelObject
	// sorted are the objects in their order; nil when that has to be made anew.
	sorted []modelObject
	events []modelEvent
}

type modelEvent struct {
	kind    watch.EventType
	object  modelObject
	version int
	at      time.Time
}

func newModelStore() *modelStore {
	return &modelStore{tables: map[schema.GroupVersionResource]*modelTable{}, watches: map[*modelWatch]struct{}{}}
}

func (s *modelStore) table(of schema.GroupVersionResource) *modelTable {
	if s.tables[of] == nil {
		s.tables[of] = &modelTable{objects: map[types.NamespacedName]modelObject{}}
	}
	return s.tables[of]
}

func keyOf(object metav1.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}

// get returns nil when there is no such object.
func (s *modelStore) get(resource schema.GroupVersionResource, key types.NamespacedName) modelObject {
	return s.table(resource).objects[key]
}

// put stores the object, which the caller must not touch any more, under a new version.
func (s *modelStore) put(resource schema.GroupVersionResource, object modelObject) {
	table, kind := s.table(resource), watch.Modified
	if table.objects[keyOf(object)] == nil {
		kind = watch.Added
	}
	s.note(table, kind, object)
	table.objects[keyOf(object)] = object
}

func (s *modelStore) remove(resource schema.GroupVersionResource, key types.NamespacedName) {
	table := s.table(resource)
	last, _ := table.objects[key].DeepCopyObject().(modelObject)
	delete(table.objects, key)
	s.note(table, watch.Deleted, last)
}

func (s *modelStore) note(table *modelTable, kind watch.EventType, object modelObject) {
	s.version++
	object.SetResourceVersion(strconv.Itoa(s.version))
	table.sorted = nil
	table.events = append(table.events, modelEvent{kind: kind, object: object, version: s.version, at: time.Now()})
	for w := range s.watches {
		w.nudge()
	}
}

// sortedObjects are all objects of a kind in an order that does not change from run to run.
func sortedObjects[T modelObject](s *modelStore, resource schema.GroupVersionResource) []T {
	table := s.table(resource)
	if table.sorted == nil {
		table.sorted = slices.SortedFunc(maps.Values(table.objects), func(a, b modelObject) int {
			return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
		})
	}
	sorted := make([]T, 0, len(table.sorted))
	for _, object := range table.sorted {
		sorted = append(sorted, object.(T))
	}
	return sorted
}

// list answers a list request with copies: informers change what they get.
func (s *modelStore) list(resource schema.GroupVersionResource, selector fields.Selector) (runtime.Object, error) {
	var items []runtime.Object
	for _, object := range sortedObjects[modelObject](s, resource) {
		if selects(selector, object) {
			items = append(items, object.DeepCopyObject())
		}
	}
	list := newModelList(resource.Resource)
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	list.(metav1.ListInterface).SetResourceVersion(strconv.Itoa(s.version))
	return list, nil
}

func newModelList(resource string) runtime.Object {
	switch resource {
	case "pods":
		return &corev1.PodList{}
	case "nodes":
		return &corev1.NodeList{}
	case "namespaces":
		return &corev1.NamespaceList{}
	case "daemonsets":
		return &appsv1.DaemonSetList{}
	case "poddisruptionbudgets":
		return &policyv1.PodDisruptionBudgetList{}
	case "volumeattachments":
		return &storagev1.VolumeAttachmentList{}
	default:
		return &v1beta1.NodeMaintenanceList{}
	}
}

// modelWatch delivers the events of one kind of objects in their order, each as late as lag says.
type modelWatch struct {
	world    *world
	resource schema.GroupVersionResource
	selector fields.Selector
	next     int
	results  chan watch.Event
	more     chan struct{}
	stopped  chan struct{}
	stopOnce sync.Once
}

// newWatch goes on after the version from. The caller holds the world's lock.
func (w *world) newWatch(resource schema.GroupVersionResource, selector fields.Selector, from string) *modelWatch {
	version, _ := strconv.Atoi(from)
	events := w.store.table(resource).events
	next := slices.IndexFunc(events, func(e modelEvent) bool { return e.version > version })
	if next < 0 {
		next = len(events)
	}
	started := &modelWatch{
		world: w, resource: resource, selector: selector, next: next,
		results: make(chan watch.Event), more: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	w.store.watches[started] = struct{}{}
	go started.run()
	return started
}

func (w *modelWatch) ResultChan() <-chan watch.Event { return w.results }

func (w *modelWatch) Stop() { w.stopOnce.Do(func() { close(w.stopped) }) }

func (w *modelWatch) nudge() {
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *modelWatch) run() {
	defer close(w.results)
	defer w.forget()
	for {
		event, found := w.take()
		if !found {
			select {
			case <-w.more:
				continue
			case <-w.stopped:
				return
			}
		}
		if !pause(w.stopped, time.Until(event.at.Add(w.world.lagOf(event)))) {
			return
		}
		select {
		case w.results <- watch.Event{Type: event.kind, Object: event.object.DeepCopyObject()}:
		case <-w.stopped:
			return
		}
	}
}

// take returns the next event that the watch is to deliver.
func (w *modelWatch) take() (modelEvent, bool) {
	w.world.mu.Lock()
	defer w.world.mu.Unlock()
	for events := w.world.store.table(w.resource).events; w.next < len(events); {
		event := events[w.next]
		w.next++
		if selects(w.selector, event.object) {
			return event, true
		}
	}
	return modelEvent{}, false
}

func (w *modelWatch) forget() {
	w.world.mu.Lock()
	defer w.world.mu.Unlock()
	delete(w.world.store.watches, w)
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
