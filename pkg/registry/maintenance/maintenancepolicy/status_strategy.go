// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenancepolicy

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
)

// statusStrategy holds the rules for writes to maintenancepolicies/status. RBAC decides who may write
// there. The strategy makes sure that nothing but the status is written.
type statusStrategy struct {
	strategy
}

// NewStatusStrategy returns the rules for updates of a MaintenancePolicy's status.
func NewStatusStrategy(typer runtime.ObjectTyper) rest.UpdateResetFieldsStrategy {
	return statusStrategy{strategy{typer, names.SimpleNameGenerator}}
}

// GetResetFields names what a request to maintenancepolicies/status cannot own.
func (statusStrategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(v1beta1.SchemeGroupVersion.String()): fieldpath.NewSet(
			fieldpath.MakePathOrDie("spec"),
			fieldpath.MakePathOrDie("metadata"),
		),
	}
}

// PrepareForUpdate takes everything but the status from the stored object. What tells which object the
// client means stays as the client sent it.
func (statusStrategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	newPolicy, oldPolicy := obj.(*v1beta1.MaintenancePolicy), old.(*v1beta1.MaintenancePolicy)
	newPolicy.Spec = oldPolicy.Spec
	newPolicy.Unknown = oldPolicy.Unknown
	newPolicy.Status.NextOpenings = nil // only the answer to a dry run has them
	metav1.ResetObjectMetaForStatus(newPolicy, oldPolicy)
	newPolicy.GenerateName = oldPolicy.GenerateName
	newPolicy.DeletionGracePeriodSeconds = oldPolicy.DeletionGracePeriodSeconds
}

// ValidateUpdate checks the new status.
func (statusStrategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return validation.ValidateMaintenancePolicyStatusUpdate(obj.(*v1beta1.MaintenancePolicy), old.(*v1beta1.MaintenancePolicy))
}
