// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceprofile

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// statusStrategy holds the rules for writes to maintenanceprofiles/status. RBAC decides who may write there. The strategy
// makes sure that nothing but the status is written.
type statusStrategy struct {
	strategy
}

// NewStatusStrategy returns the rules for updates of a MaintenanceProfile's status.
func NewStatusStrategy(typer runtime.ObjectTyper) rest.UpdateResetFieldsStrategy {
	return statusStrategy{strategy{resource.NewClusterScoped(typer)}}
}

// GetResetFields names what a request to maintenanceprofiles/status cannot own.
func (statusStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(v1beta1.SchemeGroupVersion.String()): fieldpath.NewSet(
			fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("metadata")),
	}
}

// PrepareForUpdate takes everything but the status from the stored object, and who wrote it. What tells which object the client means
// stays as the client sent it.
func (statusStrategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	newProfile, oldProfile := obj.(*v1beta1.MaintenanceProfile), old.(*v1beta1.MaintenanceProfile)
	newProfile.Spec, newProfile.Status.Author = oldProfile.Spec, oldProfile.Status.Author
	newProfile.Unknown = oldProfile.Unknown
	newProfile.Status.Preview = nil // only the answer to a dry run has it
	metav1.ResetObjectMetaForStatus(newProfile, oldProfile)
	newProfile.GenerateName = oldProfile.GenerateName
	newProfile.DeletionGracePeriodSeconds = oldProfile.DeletionGracePeriodSeconds
}

// ValidateUpdate checks the new status.
func (statusStrategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return validation.ValidateMaintenanceProfileStatusUpdate(obj.(*v1beta1.MaintenanceProfile), old.(*v1beta1.MaintenanceProfile))
}
