// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceprofile

import (
	"context"
	"fmt"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// strategy holds the rules for writes to maintenanceprofiles. What it warns of depends on other profiles, so the storage
// does that.
type strategy struct {
	resource.ClusterScoped
}

// NewStrategy returns the rules for create, update and delete of MaintenanceProfiles.
func NewStrategy(typer runtime.ObjectTyper) rest.CreateUpdateResetFieldsStrategy {
	return strategy{resource.NewClusterScoped(typer)}
}

// GetResetFields names what a request to maintenanceprofiles cannot own.
func (strategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(v1beta1.SchemeGroupVersion.String()): fieldpath.NewSet(fieldpath.MakePathOrDie("status")),
	}
}

// PrepareForCreate sets the fields that only the server sets.
func (strategy) PrepareForCreate(ctx context.Context, obj runtime.Object) {
	profile := obj.(*v1beta1.MaintenanceProfile)
	profile.Generation = 1
	profile.Finalizers = withDetachFinalizer(profile.Finalizers)
	profile.Status = v1beta1.MaintenanceProfileStatus{Author: caller.Author(ctx)}
}

// Validate checks a new object.
func (strategy) Validate(_ context.Context, obj runtime.Object) field.ErrorList {
	return validation.ValidateMaintenanceProfile(obj.(*v1beta1.MaintenanceProfile))
}

// PrepareForUpdate keeps what an update cannot change, and counts a new spec.
func (strategy) PrepareForUpdate(ctx context.Context, obj, old runtime.Object) {
	newProfile, oldProfile := obj.(*v1beta1.MaintenanceProfile), old.(*v1beta1.MaintenanceProfile)
	newProfile.Status = oldProfile.Status
	newProfile.Unknown = oldProfile.Unknown
	keepDetachFinalizer(ctx, newProfile, oldProfile)
	if !apiequality.Semantic.DeepEqual(newProfile.Spec, oldProfile.Spec) {
		newProfile.Generation = oldProfile.Generation + 1
	}
	if !OnlyDoesLess(newProfile, oldProfile) {
		newProfile.Status.Author = caller.Author(ctx)
	}
}

// activity orders the modes by how much they do.
var activity = map[v1beta1.ProfileMode]int{v1beta1.ProfilePaused: 0, v1beta1.ProfileDryRun: 1, v1beta1.ProfileActive: 2}

// OnlyDoesLess says whether nothing of the spec changes but the mode, to one that does as much or less. Who writes that
// vouches for nothing.
func OnlyDoesLess(profile, old *v1beta1.MaintenanceProfile) bool {
	changed := profile.Spec
	changed.Mode = old.Spec.Mode
	return activity[profile.Spec.Mode] <= activity[old.Spec.Mode] && apiequality.Semantic.DeepEqual(changed, old.Spec)
}

// ValidateUpdate checks a changed object.
func (strategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return validation.ValidateMaintenanceProfileUpdate(obj.(*v1beta1.MaintenanceProfile), old.(*v1beta1.MaintenanceProfile))
}

func hasDetachFinalizer(profile *v1beta1.MaintenanceProfile) bool {
	return slices.Contains(profile.Finalizers, v1beta1.DetachFinalizer)
}

// withDetachFinalizer returns the finalizers with the server's own exactly once, at the end.
func withDetachFinalizer(finalizers []string) []string {
	others := slices.DeleteFunc(slices.Clone(finalizers), func(name string) bool { return name == v1beta1.DetachFinalizer })
	return append(others, v1beta1.DetachFinalizer)
}

// keepDetachFinalizer puts the finalizer back that an update left out: without it, nodes would stay in maintenance that
// nobody ends. Only the server takes it off, and only from an object that is being deleted.
func keepDetachFinalizer(ctx context.Context, newProfile, oldProfile *v1beta1.MaintenanceProfile) {
	if !hasDetachFinalizer(oldProfile) || hasDetachFinalizer(newProfile) {
		return
	}
	if caller.IsServer(ctx) && oldProfile.DeletionTimestamp != nil {
		return
	}
	newProfile.Finalizers = withDetachFinalizer(newProfile.Finalizers)
	warning.AddWarning(ctx, "", fmt.Sprintf(
		"metadata.finalizers: %s is kept: the server removes it when the profile is off all of its nodes", v1beta1.DetachFinalizer))
}
