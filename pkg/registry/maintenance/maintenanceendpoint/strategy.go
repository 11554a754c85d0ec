// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceendpoint

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/caller"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// strategy holds the rules for writes to maintenanceendpoints.
type strategy struct {
	resource.ClusterScoped
}

// NewStrategy returns the rules for create, update and delete of MaintenanceEndpoints.
func NewStrategy(typer runtime.ObjectTyper) rest.CreateUpdateResetFieldsStrategy {
	return strategy{resource.NewClusterScoped(typer)}
}

// GetResetFields names what a request to maintenanceendpoints cannot own.
func (strategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(v1beta1.SchemeGroupVersion.String()): fieldpath.NewSet(fieldpath.MakePathOrDie("status")),
	}
}

// PrepareForCreate sets the fields that only the server sets.
func (strategy) PrepareForCreate(ctx context.Context, obj runtime.Object) {
	endpoint := obj.(*v1beta1.MaintenanceEndpoint)
	endpoint.Generation = 1
	endpoint.Status = v1beta1.MaintenanceEndpointStatus{Author: caller.Author(ctx)}
}

// Validate checks a new object.
func (strategy) Validate(_ context.Context, obj runtime.Object) field.ErrorList {
	return validation.ValidateMaintenanceEndpoint(obj.(*v1beta1.MaintenanceEndpoint))
}

// WarningsOnCreate returns none.
func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }

// PrepareForUpdate keeps what an update cannot change, and counts a new spec.
func (strategy) PrepareForUpdate(ctx context.Context, obj, old runtime.Object) {
	newEndpoint, oldEndpoint := obj.(*v1beta1.MaintenanceEndpoint), old.(*v1beta1.MaintenanceEndpoint)
	newEndpoint.Status = oldEndpoint.Status
	newEndpoint.Unknown = oldEndpoint.Unknown
	if !apiequality.Semantic.DeepEqual(newEndpoint.Spec, oldEndpoint.Spec) {
		newEndpoint.Generation = oldEndpoint.Generation + 1
		newEndpoint.Status.Author = caller.Author(ctx)
	}
}

// ValidateUpdate checks a changed object.
func (strategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return validation.ValidateMaintenanceEndpointUpdate(obj.(*v1beta1.MaintenanceEndpoint), old.(*v1beta1.MaintenanceEndpoint))
}

// WarningsOnUpdate returns none.
func (strategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

// statusStrategy holds the rules for writes to maintenanceendpoints/status. RBAC decides who may write there.
type statusStrategy struct {
	strategy
}

// NewStatusStrategy returns the rules for updates of a MaintenanceEndpoint's status.
func NewStatusStrategy(typer runtime.ObjectTyper) rest.UpdateResetFieldsStrategy {
	return statusStrategy{strategy{resource.NewClusterScoped(typer)}}
}

// GetResetFields names what a request to maintenanceendpoints/status cannot own.
func (statusStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(v1beta1.SchemeGroupVersion.String()): fieldpath.NewSet(
			fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata")),
	}
}

// PrepareForUpdate takes everything but the status from the stored object, and who wrote it.
func (statusStrategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	newEndpoint, oldEndpoint := obj.(*v1beta1.MaintenanceEndpoint), old.(*v1beta1.MaintenanceEndpoint)
	newEndpoint.Spec, newEndpoint.Status.Author = oldEndpoint.Spec, oldEndpoint.Status.Author
	newEndpoint.Unknown = oldEndpoint.Unknown
	metav1.ResetObjectMetaForStatus(newEndpoint, oldEndpoint)
	newEndpoint.GenerateName = oldEndpoint.GenerateName
	newEndpoint.DeletionGracePeriodSeconds = oldEndpoint.DeletionGracePeriodSeconds
}

// ValidateUpdate checks the new status.
func (statusStrategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return validation.ValidateMaintenanceEndpointStatusUpdate(obj.(*v1beta1.MaintenanceEndpoint), old.(*v1beta1.MaintenanceEndpoint))
}
