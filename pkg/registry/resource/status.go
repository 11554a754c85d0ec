// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

var _ interface {
	rest.Storage
	rest.Patcher
	rest.TableConvertor
	rest.ResetFieldsStrategy
} = (*StatusREST)(nil)

// StatusREST serves the subresource status: the same objects, with other rules for updates.
type StatusREST struct {
	store     *genericregistry.Store
	authorize AuthorizeUpdate
	redact    redactor
}

func newStatusREST(store *genericregistry.Store, strategy rest.UpdateResetFieldsStrategy, authorize AuthorizeUpdate, redact redactor) *StatusREST {
	statusStore := *store
	statusStore.UpdateStrategy = strategy
	statusStore.ResetFieldsStrategy = strategy
	return &StatusREST{store: &statusStore, authorize: authorize, redact: redact}
}

// New implements rest.Storage.
func (r *StatusREST) New() runtime.Object { return r.store.New() }

// Destroy implements rest.Storage. It does nothing: the REST of the resource destroys the store.
func (r *StatusREST) Destroy() {}

// Get implements rest.Getter.
func (r *StatusREST) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return r.redact.get(ctx, r.store, name, options)
}

// Update implements rest.Updater. It never creates an object, not even for a server-side
// apply, since a status needs an object.
func (r *StatusREST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	_ bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	update := &authorizedUpdate{UpdatedObjectInfo: objInfo, authorize: r.authorize, strategy: r.store.UpdateStrategy, subresource: "status"}
	return updateAuthorized(ctx, r.store, name, update, createValidation, updateValidation, false, options)
}

// GetResetFields implements rest.ResetFieldsStrategy.
func (r *StatusREST) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return r.store.GetResetFields()
}

// ConvertToTable implements rest.TableConvertor.
func (r *StatusREST) ConvertToTable(ctx context.Context, object, tableOptions runtime.Object) (*metav1.Table, error) {
	return r.store.ConvertToTable(ctx, object, tableOptions)
}
