// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package storage adds to the stored NodeMaintenances what concerns more than one
// object: it wakes the drainer, and it tells a client about the node and about the
// other holds on it.
package storage

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Waker is told that what is asked of a node has changed. It must not block. To
// be told is only a nudge: whoever acts on NodeMaintenances watches them too.
type Waker interface {
	Wake(node string)
}

// NodeFinder knows the nodes of the cluster. It is asked while a request waits,
// so it should answer from memory, and answer true while it does not know.
type NodeFinder interface {
	HasNode(name string) bool
}

// Planner knows what a drain would do. It changes nothing.
type Planner interface {
	// Plan says what would become of the pods of the hold's node. fresh asks for the pods of
	// this moment, which takes longer than what a cache has.
	Plan(ctx context.Context, hold *v1beta1.NodeMaintenance, fresh bool) (*v1beta1.DrainPlanStatus, error)
}

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

// REST serves NodeMaintenances.
type REST struct {
	*resource.REST

	waker   Waker
	nodes   NodeFinder
	planner Planner
}

// New returns the function that makes NodeMaintenance's storage of the generic one.
func New(waker Waker, nodes NodeFinder, planner Planner) func(*resource.REST) rest.Storage {
	return func(generic *resource.REST) rest.Storage {
		return &REST{REST: generic, waker: waker, nodes: nodes, planner: planner}
	}
}

// Create stores a hold and tells its creator about the node and its other holds.
func (r *REST) Create(ctx context.Context, obj runtime.Object, createValidation rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	stored, err := r.REST.Create(ctx, obj, createValidation, options)
	if err != nil {
		return nil, err
	}
	r.created(ctx, stored, options.DryRun)
	return stored, nil
}

// Update implements rest.Updater. A server-side apply creates through it.
func (r *REST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	stored, created, err := r.REST.Update(ctx, name, objInfo, createValidation, updateValidation, forceAllowCreate, options)
	if err != nil {
		return nil, false, err
	}
	if created {
		r.created(ctx, stored, options.DryRun)
	} else {
		r.wake(options.DryRun, stored)
	}
	return stored, created, nil
}

// Delete implements rest.GracefulDeleter. The finalizer keeps the object until
// the node has been given back, so a delete that is stored is only the start.
func (r *REST) Delete(ctx context.Context, name string, deleteValidation rest.ValidateObjectFunc,
	options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	obj, gone, err := r.REST.Delete(ctx, name, deleteValidation, options)
	if err != nil {
		return nil, false, err
	}
	r.deleted(ctx, options, obj)
	return obj, gone, nil
}

// DeleteCollection implements rest.CollectionDeleter. Nothing is deleted unless everything that is
// selected may be.
func (r *REST) DeleteCollection(ctx context.Context, deleteValidation rest.ValidateObjectFunc,
	options *metav1.DeleteOptions, listOptions *metainternalversion.ListOptions,
) (runtime.Object, error) {
	listed, err := r.List(ctx, listOptions)
	if err != nil {
		return nil, err
	}
	list, ok := listed.(*maintenance.NodeMaintenanceList)
	if !ok {
		return nil, fmt.Errorf("could not delete a collection of %T", listed)
	}
	list.Items, err = r.DeleteHolds(ctx, list.Items, deleteValidation, options)
	return list, err
}

// DeleteHolds deletes the holds that were listed, once every one of them has been validated, and
// returns those that it found. It fails where one cannot be deleted; those before it have been.
func (r *REST) DeleteHolds(ctx context.Context, holds []maintenance.NodeMaintenance, validate rest.ValidateObjectFunc,
	options *metav1.DeleteOptions,
) ([]maintenance.NodeMaintenance, error) {
	for i := range holds {
		if validate == nil {
			break
		}
		if err := validate(ctx, holds[i].DeepCopy()); err != nil {
			return nil, err
		}
	}
	deleted := []maintenance.NodeMaintenance{}
	var objects []runtime.Object
	defer func() { r.deleted(ctx, options, objects...) }()
	for i := range holds {
		found, err := r.deleteListed(ctx, &holds[i], options)
		if err != nil {
			return nil, err
		}
		if found != nil {
			deleted, objects = append(deleted, *found), append(objects, found)
		}
	}
	return deleted, nil
}

// deleteListed deletes the very hold that was listed and validated. It returns nil where that is
// gone, though another may have taken its name.
func (r *REST) deleteListed(ctx context.Context, hold *maintenance.NodeMaintenance, options *metav1.DeleteOptions) (*maintenance.NodeMaintenance, error) {
	exactly := options.DeepCopy()
	if exactly == nil {
		exactly = &metav1.DeleteOptions{}
	}
	asked := exactly.Preconditions != nil && (exactly.Preconditions.UID != nil || exactly.Preconditions.ResourceVersion != nil)
	if !asked {
		exactly.Preconditions = &metav1.Preconditions{UID: &hold.UID}
	}
	object, _, err := r.REST.Delete(ctx, hold.Name, rest.ValidateAllObjectFunc, exactly)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsConflict(err) && !asked:
		return nil, nil
	case err != nil:
		return nil, err
	}
	found, ok := object.(*maintenance.NodeMaintenance)
	if !ok {
		return nil, fmt.Errorf("could not delete NodeMaintenance %s: got %T", hold.Name, object)
	}
	return found, nil
}

func (r *REST) created(ctx context.Context, obj runtime.Object, dryRun []string) {
	r.wake(dryRun, obj)
	noteInAudit(ctx, obj)
	if hold, ok := obj.(*maintenance.NodeMaintenance); ok {
		r.warnOfMissingNode(ctx, hold)
		r.warnOfEarlierHolds(ctx, hold)
		r.plan(ctx, hold, dryrun.IsDryRun(dryRun))
	}
}

func (r *REST) deleted(ctx context.Context, options *metav1.DeleteOptions, objects ...runtime.Object) {
	var dryRun []string
	if options != nil {
		dryRun = options.DryRun
	}
	r.wake(dryRun, objects...)
	noteInAudit(ctx, objects...)
	r.warnOfRemainingHolds(ctx, objects...)
}

// wake nudges the waker, unless the request was a dry run and nothing was stored.
func (r *REST) wake(dryRun []string, objects ...runtime.Object) {
	if dryrun.IsDryRun(dryRun) {
		return
	}
	for _, obj := range objects {
		if hold, ok := obj.(*maintenance.NodeMaintenance); ok {
			r.waker.Wake(hold.Spec.NodeName)
		}
	}
}
