// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
)

var _ interface {
	rest.StandardStorage
	rest.Scoper
	rest.SingularNameProvider
	rest.ShortNamesProvider
	rest.CategoriesProvider
	rest.TableConvertor
	rest.ResetFieldsStrategy
	rest.StorageVersionProvider
	rest.StorageWithReadiness
} = (*REST)(nil)

// REST serves the objects of one resource from the store.
type REST struct {
	*genericregistry.Store

	shortNames []string
	categories []string
	authorize  AuthorizeUpdate
	redact     redactor

	// space is nil if the store has space for any number of objects.
	space Space
	// limit is nil if users may store any number of objects.
	limit *Limit
	// sharesRoom is nil if nobody leaves room for others.
	sharesRoom func(ctx context.Context) bool
	// writing is held while a new object is counted and stored.
	writing sync.Mutex
}

// ShortNames implements rest.ShortNamesProvider.
func (r *REST) ShortNames() []string { return r.shortNames }

// Categories implements rest.CategoriesProvider.
func (r *REST) Categories() []string { return r.categories }

// Create stores a new object, unless users have stored too many.
func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	limited := &limited{of: r}
	defer limited.end()
	return r.Store.Create(ctx, obj, limited.create(validate), options)
}

// Update implements rest.Updater. A server-side apply that creates an object also comes here.
func (r *REST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	update := &authorizedUpdate{UpdatedObjectInfo: objInfo, authorize: r.authorize, strategy: r.UpdateStrategy}
	limited := &limited{of: r}
	defer limited.end()
	return updateAuthorized(ctx, r.Store, name, update, limited.create(createValidation), limited.update(updateValidation), forceAllowCreate, options)
}
