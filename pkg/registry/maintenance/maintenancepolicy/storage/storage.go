// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package storage adds to the storage of MaintenancePolicies what a single stored object cannot do.
package storage

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
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

// REST serves MaintenancePolicies.
type REST struct {
	*resource.REST

	previewer Previewer
}

// New returns what makes the storage of MaintenancePolicies from the generic one. The previewer may be nil.
func New(previewer Previewer) func(*resource.REST) rest.Storage {
	return func(generic *resource.REST) rest.Storage { return &REST{REST: generic, previewer: previewer} }
}

// Create stores a new policy.
func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	created, err := r.REST.Create(ctx, obj, validate, options)
	if err != nil {
		return nil, err
	}
	r.preview(ctx, created, dryrun.IsDryRun(options.DryRun))
	return created, nil
}

// Update implements rest.Updater. A server-side apply that creates an object also comes here.
func (r *REST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	var change specChange
	stored, created, err := r.REST.Update(ctx, name, objInfo, createValidation, change.after(updateValidation),
		forceAllowCreate, options)
	if err != nil {
		return nil, false, err
	}
	if dryRun := dryrun.IsDryRun(options.DryRun); dryRun || created || change.seen {
		r.preview(ctx, stored, dryRun)
	}
	if after, ok := stored.(*v1beta1.MaintenancePolicy); ok && change.before != nil {
		r.warnOfFreed(ctx, []v1beta1.MaintenancePolicy{*change.before}, []v1beta1.MaintenancePolicy{*after})
	}
	return stored, created, nil
}
