// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package clusterstore

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
)

// watching turns the cluster's events about envelopes into events about the objects in them.
type watching struct {
	store     *Store
	ctx       context.Context //nolint:containedctx // ends the watch, which outlives the call that made it
	cancel    context.CancelFunc
	detach    func() bool // from the store's end
	predicate storage.SelectionPredicate
	bookmarks bool
	results   chan watch.Event

	// known are the envelopes of the objects that the client knows of, by namespace and name: one that no longer
	// matches is told as a deletion. It is nil where the cluster selects, and tells that by itself.
	known map[string]*unstructured.Unstructured
}

// Stop implements watch.Interface. Events that wait can still be read.
func (w *watching) Stop() { w.cancel() }

// ResultChan implements watch.Interface.
func (w *watching) ResultChan() <-chan watch.Event { return w.results }

// run passes events on until the watch ends, at either end.
func (w *watching) run(events watch.Interface) {
	defer close(w.results)
	defer w.detach()
	defer w.cancel()
	defer events.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return
		case event, ok := <-events.ResultChan():
			if !ok || !w.pass(event) {
				return
			}
		}
	}
}

// pass passes an event on. It says whether the watch goes on.
func (w *watching) pass(event watch.Event) bool {
	if event.Type == watch.Error && w.ctx.Err() != nil {
		return false // it only says that the watch was ended
	}
	translated, err := w.translate(event)
	if err != nil {
		translated = errorEvent(err)
	}
	if translated == nil {
		return true
	}
	select {
	case w.results <- *translated:
		return translated.Type != watch.Error
	case <-w.ctx.Done():
		return false
	}
}

// translate returns the event about an object; nil where the client need not know.
func (w *watching) translate(event watch.Event) (*watch.Event, error) {
	if event.Type == watch.Error {
		return nil, w.store.interpret(apierrors.FromObject(event.Object), w.store.Prefix)
	}
	u, ok := event.Object.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("the cluster sent a %T in a watch", event.Object)
	}
	if event.Type == watch.Bookmark {
		return w.bookmark(u)
	}
	object, err := w.read(u)
	if event.Type == watch.Deleted {
		w.store.Sizes.set(w.store.Kind, u.GetNamespace(), u.GetName(), 0)
	}
	if err != nil && event.Type == watch.Deleted && storage.IsCorruptObject(err) {
		return nil, storeReadError(fmt.Sprintf("saw a DELETED event, but object data is corrupt - %v", err), nil)
	}
	if err != nil {
		return nil, err
	}
	if w.known == nil {
		return &watch.Event{Type: event.Type, Object: object}, nil
	}
	return w.choose(event.Type, u, object)
}

// choose tells of an object by whether the client knows it, and whether it matches.
func (w *watching) choose(kind watch.EventType, u *unstructured.Unstructured, object runtime.Object) (*watch.Event, error) {
	name := nameOf(u)
	before, known := w.known[name]
	if kind != watch.Deleted && w.matches(object) {
		w.known[name] = u
		if known {
			return &watch.Event{Type: watch.Modified, Object: object}, nil
		}
		return &watch.Event{Type: watch.Added, Object: object}, nil
	}
	if !known {
		return nil, nil
	}
	delete(w.known, name)
	return w.deletion(before, u.GetResourceVersion())
}

// deletion tells that an object is gone, or no longer matches: as the client knew it, with the version of the event.
func (w *watching) deletion(before *unstructured.Unstructured, resourceVersion string) (*watch.Event, error) {
	object, err := w.read(before)
	if err != nil {
		return nil, err
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(resourceVersion)
	return &watch.Event{Type: watch.Deleted, Object: object}, nil
}

// bookmark tells how far the client has seen everything.
func (w *watching) bookmark(u *unstructured.Unstructured) (*watch.Event, error) {
	object := w.store.New()
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(u.GetResourceVersion())
	if u.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
		accessor.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	}
	return &watch.Event{Type: watch.Bookmark, Object: object}, nil
}

func (w *watching) read(u *unstructured.Unstructured) (runtime.Object, error) {
	object := w.store.New()
	_, err := w.store.read(w.ctx, u, object)
	return object, err
}

func (w *watching) matches(object runtime.Object) bool {
	matches, err := w.predicate.Matches(object)
	return err == nil && matches
}

// errorEvent tells the client why the watch ends.
func errorEvent(err error) *watch.Event {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		status = apierrors.NewInternalError(err)
	}
	state := status.Status()
	return &watch.Event{Type: watch.Error, Object: &state}
}

func nameOf(u *unstructured.Unstructured) string { return u.GetNamespace() + "/" + u.GetName() }
