// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package storage adds to the storage of MaintenanceProfiles what a single stored object cannot do.
package storage

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"
	"k8s.io/apiserver/pkg/warning"

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

// REST serves MaintenanceProfiles.
type REST struct {
	*resource.REST
	Config

	// writing is held while a profile is compared with the others and stored. Writes by several replicas at the same
	// moment may still give two profiles one alias.
	writing sync.Mutex
}

// Config is what the storage of MaintenanceProfiles knows beyond them.
type Config struct {
	// Previewer says what a profile would do. Optional.
	Previewer Previewer
	// Endpoints returns the storage of MaintenanceEndpoints, which may be made later than this one.
	Endpoints func() rest.Getter
	// Nodes knows the nodes. It is asked while a request waits, so it answers from memory, and fails while it does not know.
	// Required, if there is not room for any number of NodeProfiles.
	Nodes interface {
		Nodes() ([]*corev1.Node, error)
	}
	// Label is the label of nodes that has the aliases of their profiles.
	Label string
	// Room is how many NodeProfiles there may be.
	Room resource.Room
	// SharesRoom says whether the user who makes the request may have only half of them. Required, if there is not room for
	// any number.
	SharesRoom func(ctx context.Context) bool
}

// New returns what makes the storage of MaintenanceProfiles from the generic one.
func New(config Config) func(*resource.REST) rest.Storage {
	return func(generic *resource.REST) rest.Storage { return &REST{REST: generic, Config: config} }
}

// Create stores a new profile.
func (r *REST) Create(ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc,
	options *metav1.CreateOptions,
) (runtime.Object, error) {
	write := &write{of: r}
	defer write.end()
	created, err := r.REST.Create(ctx, obj, write.afterCreate(validate), options)
	if err != nil {
		return nil, err
	}
	write.end()
	r.comment(ctx, created, write, dryrun.IsDryRun(options.DryRun))
	return created, nil
}

// Update implements rest.Updater. A server-side apply that creates an object also comes here.
func (r *REST) Update(ctx context.Context, name string, objInfo rest.UpdatedObjectInfo,
	createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc,
	forceAllowCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	write := &write{of: r}
	defer write.end()
	stored, created, err := r.REST.Update(ctx, name, objInfo, write.afterCreate(createValidation), write.afterUpdate(updateValidation),
		forceAllowCreate, options)
	if err != nil {
		return nil, false, err
	}
	write.end()
	r.comment(ctx, stored, write, dryrun.IsDryRun(options.DryRun))
	return stored, created, nil
}

// Delete implements rest.GracefulDeleter. It warns of nodes that the profile still has to leave.
func (r *REST) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc,
	options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	deleted, atOnce, err := r.REST.Delete(ctx, name, validate, options)
	if profile, ok := deleted.(*v1beta1.MaintenanceProfile); ok && err == nil && !atOnce {
		warnOfWaiting(ctx, profile)
	}
	return deleted, atOnce, err
}

func warnOfWaiting(ctx context.Context, profile *v1beta1.MaintenanceProfile) {
	counts := profile.Status.Counts
	busy := counts.MaintenanceRequired + counts.InMaintenance
	if busy == 0 || profile.Spec.OnDetach != v1beta1.DetachFinish {
		return
	}
	warning.AddWarning(ctx, "", fmt.Sprintf("profile %q goes once it is Operational on all nodes: on %d it is not; "+
		"to end it there at once, set spec.onDetach to Release", profile.Name, busy))
}

// others are all profiles but the one of that name.
func (r *REST) others(ctx context.Context, name string) ([]v1beta1.MaintenanceProfile, error) {
	listed, err := r.List(ctx, &metainternalversion.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("could not list the MaintenanceProfiles: %w", err)
	}
	list, ok := listed.(*v1beta1.MaintenanceProfileList)
	if !ok {
		return nil, fmt.Errorf("could not list the MaintenanceProfiles: got %T", listed)
	}
	var others []v1beta1.MaintenanceProfile
	for i := range list.Items {
		if list.Items[i].Name != name {
			others = append(others, list.Items[i])
		}
	}
	return others, nil
}
