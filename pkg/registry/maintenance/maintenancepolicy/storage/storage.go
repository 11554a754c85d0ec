// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package storage adds to the storage of MaintenancePolicies what a single stored object cannot do.
package storage

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/maintenancepolicy"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// maxPolicies is how many MaintenancePolicies there may be. Every decision looks at each of them.
const maxPolicies = 64

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

	// creating is held while a new policy is counted and stored. Creates by several replicas at the same
	// moment may still exceed the limit, by one for each replica.
	creating sync.Mutex
}

// New returns what makes the storage of MaintenancePolicies from the generic one. The previewer may be nil.
func New(previewer Previewer) func(*resource.REST) rest.Storage {
	return func(generic *resource.REST) rest.Storage { return &REST{REST: generic, previewer: previewer} }
}

// Create stores a new policy.
func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	counting := &count{of: r}
	defer counting.end()
	created, err := r.REST.Create(ctx, obj, counting.after(validate), options)
	if err != nil {
		return nil, err
	}
	counting.end()
	r.preview(ctx, created, dryrun.IsDryRun(options.DryRun))
	return created, nil
}

// Update implements rest.Updater. A server-side apply that creates an object also comes here.
func (r *REST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	counting := &count{of: r}
	defer counting.end()
	var change specChange
	stored, created, err := r.REST.Update(ctx, name, objInfo, counting.after(createValidation), change.after(updateValidation),
		forceAllowCreate, options)
	if err != nil {
		return nil, false, err
	}
	counting.end()
	if dryRun := dryrun.IsDryRun(options.DryRun); dryRun || created || change.seen {
		r.preview(ctx, stored, dryRun)
	}
	if after, ok := stored.(*maintenance.MaintenancePolicy); ok && change.before != nil {
		r.warnOfFreed(ctx, []maintenance.MaintenancePolicy{*change.before}, []maintenance.MaintenancePolicy{*after})
	}
	return stored, created, nil
}

// count is the last check of a new policy. From then on, others wait until end.
type count struct {
	of   *REST
	held bool
}

// after adds the check to the others. The store may ask it again if it could not store the policy at first.
func (c *count) after(validate rest.ValidateObjectFunc) rest.ValidateObjectFunc {
	return func(ctx context.Context, obj runtime.Object) error {
		if validate != nil {
			if err := validate(ctx, obj); err != nil {
				return err
			}
		}
		if !c.held {
			c.of.creating.Lock()
			c.held = true
		}
		return c.of.checkCount(ctx, obj)
	}
}

func (c *count) end() {
	if c.held {
		c.of.creating.Unlock()
		c.held = false
	}
}

func (r *REST) checkCount(ctx context.Context, obj runtime.Object) error {
	policy, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	list, err := r.List(ctx, &metainternalversion.ListOptions{})
	if err != nil {
		return fmt.Errorf("could not count the MaintenancePolicies: %w", err)
	}
	if stored := meta.LenList(list); stored >= maxPolicies {
		return apierrors.NewForbidden(maintenance.Resource(maintenancepolicy.Plural), policy.GetName(), fmt.Errorf(
			"there are %d MaintenancePolicies, and there may be %d: delete one first, or have one do the work of two", stored, maxPolicies))
	}
	return nil
}
