// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package storage adds to the storage of ScheduledEvents what a single stored object cannot do: it tells
// who creates one what will come of it.
package storage

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// Nodes knows the nodes of the cluster. It is asked while a request waits, so it should answer from memory.
type Nodes interface {
	// HasNode says whether there is a node of that name. It says so, too, while it does not know.
	HasNode(name string) bool
	// Nodes returns all nodes. It fails while they are not known yet. The caller does not change what it returns.
	Nodes() ([]*corev1.Node, error)
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

// REST serves ScheduledEvents.
type REST struct {
	*resource.REST

	nodes Nodes
	clock clock.PassiveClock
	// replaces says that this server may replace machines.
	replaces bool
}

// New returns what makes the storage of ScheduledEvents from the generic one. replaces says that this server may replace
// machines.
func New(nodes Nodes, replaces bool) func(*resource.REST) rest.Storage {
	return func(generic *resource.REST) rest.Storage {
		return &REST{REST: generic, nodes: nodes, clock: clock.RealClock{}, replaces: replaces}
	}
}

// Create stores a new event, and tells its creator what is not as it may be meant.
func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	created, err := r.REST.Create(ctx, obj, validate, options)
	if err != nil {
		return nil, err
	}
	r.warn(ctx, created)
	return created, nil
}

// Update implements rest.Updater. A server-side apply that creates an object also comes here.
func (r *REST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	stored, created, err := r.REST.Update(ctx, name, objInfo, createValidation, updateValidation, forceAllowCreate, options)
	if err != nil {
		return nil, false, err
	}
	if created {
		r.warn(ctx, stored)
	}
	return stored, created, nil
}
