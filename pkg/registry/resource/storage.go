// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/client-go/tools/cache"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// NewStorage returns the storage of the defined resource and of its subresources. The keys
// are their names in URLs. It connects to the store that optsGetter describes.
func NewStorage(d Definition, optsGetter generic.RESTOptionsGetter) (map[string]rest.Storage, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	store := d.newStore()
	if example, ok := d.New().(v1beta1.Stored); ok {
		optsGetter = setAside(optsGetter, example)
	}
	if d.Bill != nil {
		optsGetter = billStores(optsGetter, d.Bill)
	}
	if err := store.CompleteWithOptions(d.storeOptions(optsGetter)); err != nil {
		return nil, fmt.Errorf("could not complete the store of %s: %w", store.DefaultQualifiedResource, err)
	}

	served := &REST{
		Store: store, shortNames: d.ShortNames, categories: d.Categories, authorize: d.AuthorizeUpdate, redact: d.Redact, space: d.Space,
		limit: d.Limit, sharesRoom: d.SharesRoom,
	}
	storages := map[string]rest.Storage{d.Plural: served}
	if d.Wrap != nil {
		storages[d.Plural] = d.Wrap(served)
	}
	if d.StatusStrategy != nil {
		storages[d.Plural+"/status"] = newStatusREST(store, d.StatusStrategy, d.AuthorizeUpdate, d.Redact)
	}
	return storages, nil
}

func (d *Definition) newStore() *genericregistry.Store {
	return &genericregistry.Store{
		NewFunc:                   d.New,
		NewListFunc:               d.NewList,
		PredicateFunc:             d.predicate,
		DefaultQualifiedResource:  d.groupResource(d.Plural),
		SingularQualifiedResource: d.groupResource(d.Singular),

		CreateStrategy:      d.Strategy,
		UpdateStrategy:      d.Strategy,
		DeleteStrategy:      d.Strategy,
		ResetFieldsStrategy: d.Strategy,
		// A delete returns the object. If the object has a finalizer, the client gets the
		// object anyway, so the OpenAPI document should say so.
		ReturnDeletedObject: true,

		TableConvertor: d.Table,

		BeginUpdate: forgetKinds,
	}
}

// forgetKinds runs before the rules for updates. Where the generic API server works out who owns which fields, it may set the
// kind in one of the objects. Then they would differ, and a write that changes nothing would be stored.
func forgetKinds(_ context.Context, obj, old runtime.Object, _ *metav1.UpdateOptions) (genericregistry.FinishFunc, error) {
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	old.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return func(context.Context, bool) {}, nil
}

func (d *Definition) storeOptions(optsGetter generic.RESTOptionsGetter) *generic.StoreOptions {
	options := &generic.StoreOptions{RESTOptions: optsGetter, AttrFunc: d.attributes}
	if d.IndexedField != "" {
		// TriggerFunc speeds up watches, and Indexers speed up lists.
		options.TriggerFunc = storage.IndexerFuncs{d.IndexedField: d.indexedValue}
		options.Indexers = &cache.Indexers{
			storage.FieldIndex(d.IndexedField): func(obj any) ([]string, error) {
				return []string{d.indexedValue(obj.(runtime.Object))}, nil
			},
		}
	}
	return options
}

// predicate returns the filter of a list or a watch.
func (d *Definition) predicate(label labels.Selector, field fields.Selector) storage.SelectionPredicate {
	predicate := storage.SelectionPredicate{Label: label, Field: field, GetAttrs: d.attributes}
	if d.IndexedField != "" {
		predicate.IndexFields = []string{d.IndexedField}
	}
	return predicate
}

func (d *Definition) attributes(obj runtime.Object) (labels.Set, fields.Set, error) {
	object, err := meta.Accessor(obj)
	if err != nil {
		return nil, nil, err
	}
	selectable := fields.Set{metav1.ObjectNameField: object.GetName()}
	if d.Fields != nil {
		maps.Copy(selectable, d.Fields(obj))
	}
	return object.GetLabels(), selectable, nil
}

func (d *Definition) indexedValue(obj runtime.Object) string { return d.Fields(obj)[d.IndexedField] }
