// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package resource

import (
	"cmp"
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
)

// AuthorizeUpdate returns an error if the user who makes the request may not store obj in place of old.
// It is called twice for each update: before obj is made, with the stored object as both, and after.
// subresource is empty for an update of the object itself.
type AuthorizeUpdate func(ctx context.Context, subresource string, obj, old runtime.Object) error

// authorizedUpdate is the object of an update that is authorized before anything can fail that tells of
// the stored object: a patch, validation, a conflict.
type authorizedUpdate struct {
	rest.UpdatedObjectInfo
	authorize   AuthorizeUpdate
	strategy    rest.RESTUpdateStrategy
	subresource string
	// reached says that the update came far enough to be authorized.
	reached bool
}

// UpdatedObject implements rest.UpdatedObjectInfo.
func (u *authorizedUpdate) UpdatedObject(ctx context.Context, old runtime.Object) (runtime.Object, error) {
	stored, err := meta.Accessor(old)
	if err != nil {
		return nil, err
	}
	u.reached = true
	if stored.GetUID() == "" { // an apply creates the object
		return u.UpdatedObjectInfo.UpdatedObject(ctx, old)
	}
	if err := u.authorize(ctx, u.subresource, old, old); err != nil {
		return nil, err
	}
	obj, err := u.UpdatedObjectInfo.UpdatedObject(ctx, old)
	if err != nil {
		return nil, err
	}
	return obj, u.authorizePrepared(ctx, obj, old)
}

// authorizePrepared authorizes what the update would store, with the fields that the server keeps.
func (u *authorizedUpdate) authorizePrepared(ctx context.Context, obj, old runtime.Object) error {
	prepared := obj.DeepCopyObject()
	withoutWarnings := warning.WithWarningRecorder(ctx, nil)
	u.strategy.PrepareForUpdate(withoutWarnings, prepared, old)
	return u.authorize(ctx, u.subresource, prepared, old)
}

// updateAuthorized updates an object in the store. If authorize is nil, the request needs no further
// authorization.
func updateAuthorized(ctx context.Context, store *genericregistry.Store, name string, update *authorizedUpdate,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	var info rest.UpdatedObjectInfo = update
	if update.authorize == nil {
		info = update.UpdatedObjectInfo
	}
	obj, created, err := store.Update(ctx, name, info, createValidation, updateValidation, forceAllowCreate, options)
	if apierrors.IsConflict(err) && update.authorize != nil && !update.reached {
		// The store has compared the UIDs first.
		if old, getErr := store.Get(ctx, name, &metav1.GetOptions{}); getErr == nil {
			err = cmp.Or(update.authorize(ctx, update.subresource, old, old), err)
		}
	}
	return obj, created, err
}
