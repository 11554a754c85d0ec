// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package serveronly serves resources that only the server itself writes, whatever RBAC says.
package serveronly

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

var _ interface {
	rest.StandardStorage
	rest.Scoper
	rest.SingularNameProvider
	rest.ShortNamesProvider
	rest.CategoriesProvider
	rest.ResetFieldsStrategy
	rest.StorageVersionProvider
	rest.StorageWithReadiness
} = (*REST)(nil)

// REST serves objects of one resource. Everybody whom RBAC lets may read them.
type REST struct {
	*resource.REST
	plural  string
	refusal error
}

// Wrap returns what makes such a storage from the generic one. plural is the resource's name, and refusal is what
// everybody else is told who writes.
func Wrap(plural string, refusal error) func(*resource.REST) rest.Storage {
	return func(generic *resource.REST) rest.Storage { return &REST{generic, plural, refusal} }
}

// Status is Wrap for updates of the subresource status.
func Status(plural string, refusal error) resource.AuthorizeUpdate {
	return func(ctx context.Context, _ string, _, old runtime.Object) error {
		stored, err := meta.Accessor(old)
		if err != nil {
			return err
		}
		return check(ctx, plural, stored.GetName(), refusal)
	}
}

func (r *REST) serverOnly(ctx context.Context, name string) error {
	return check(ctx, r.plural, name, r.refusal)
}

func check(ctx context.Context, plural, name string, refusal error) error {
	if caller.IsServer(ctx) {
		return nil
	}
	return apierrors.NewForbidden(v1beta1.Resource(plural), name, refusal)
}

// Create is refused to all but the server.
func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	if err := r.serverOnly(ctx, ""); err != nil {
		return nil, err
	}
	return r.REST.Create(ctx, obj, validate, options)
}

// Update implements rest.Updater. A server-side apply that creates an object also comes here.
func (r *REST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	if err := r.serverOnly(ctx, name); err != nil {
		return nil, false, err
	}
	return r.REST.Update(ctx, name, objInfo, createValidation, updateValidation, forceAllowCreate, options)
}

// Delete implements rest.GracefulDeleter. What the server cannot read, others may delete, if admission lets them.
func (r *REST) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc,
	options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	return r.REST.Delete(ctx, name, func(ctx context.Context, obj runtime.Object) error {
		object, err := meta.Accessor(obj)
		if err == nil && v1beta1.WhyUnreadable(object) == "" {
			err = r.serverOnly(ctx, name)
		}
		if err != nil || validate == nil {
			return err
		}
		return validate(ctx, obj)
	}, options)
}

// DeleteCollection implements rest.CollectionDeleter.
func (r *REST) DeleteCollection(ctx context.Context, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions,
	listOptions *metainternalversion.ListOptions,
) (runtime.Object, error) {
	if err := r.serverOnly(ctx, ""); err != nil {
		return nil, err
	}
	return r.REST.DeleteCollection(ctx, validate, options, listOptions)
}
