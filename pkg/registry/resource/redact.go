// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"

	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
)

// Get implements rest.Getter. It fails for an object that cannot be read.
func (r *REST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return r.redact.get(ctx, r.Store, name, options)
}

// List implements rest.Lister.
func (r *REST) List(ctx context.Context, options *metainternalversion.ListOptions) (runtime.Object, error) {
	list, err := r.Store.List(ctx, options)
	if err != nil {
		return nil, err
	}
	WarnOfUnreadable(ctx, r.DefaultQualifiedResource, list)
	if r.redact.allows(ctx) {
		return list, nil
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return nil, err
	}
	changed := false
	for i, item := range items {
		items[i] = r.redact(item)
		changed = changed || items[i] != item
	}
	if !changed {
		return list, nil
	}
	return list, meta.SetList(list, items)
}

// Watch implements rest.Watcher.
func (r *REST) Watch(ctx context.Context, options *metainternalversion.ListOptions) (watch.Interface, error) {
	watching, err := r.Store.Watch(ctx, options)
	if err != nil || r.redact.allows(ctx) {
		return watching, err
	}
	return watch.Filter(watching, func(event watch.Event) (watch.Event, bool) {
		event.Object = r.redact.object(ctx, event.Object)
		return event, true
	}), nil
}

// redactor is Redact of a Definition.
type redactor func(runtime.Object) runtime.Object

// get gets an object as the caller sees it. It fails for an object that cannot be read.
func (r redactor) get(ctx context.Context, store *genericregistry.Store, name string, options *metav1.GetOptions) (runtime.Object, error) {
	obj, err := store.Get(ctx, name, options)
	if err == nil {
		err = unreadableError(store.DefaultQualifiedResource, obj)
	}
	if err != nil {
		return nil, err
	}
	return r.object(ctx, obj), nil
}

// allows says whether the caller sees objects as they are stored.
func (r redactor) allows(ctx context.Context) bool { return r == nil || caller.IsServer(ctx) }

// object is an object as the caller sees it.
func (r redactor) object(ctx context.Context, obj runtime.Object) runtime.Object {
	if obj == nil || r.allows(ctx) {
		return obj
	}
	shown := obj
	if cached, is := obj.(runtime.CacheableObject); is { // in a watch, its encoded forms are shared
		shown = cached.GetObject()
	}
	if redacted := r(shown); redacted != shown {
		return redacted
	}
	return obj
}
