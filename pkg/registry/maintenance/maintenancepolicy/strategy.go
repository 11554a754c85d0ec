// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenancepolicy

import (
	"context"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
)

// strategy holds the rules for writes to maintenancepolicies.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
}

// NewStrategy returns the rules for create, update and delete of MaintenancePolicies.
func NewStrategy(typer runtime.ObjectTyper) rest.CreateUpdateResetFieldsStrategy {
	return strategy{typer, names.SimpleNameGenerator}
}

// NamespaceScoped is false, as it is for nodes.
func (strategy) NamespaceScoped() bool { return false }

// AllowCreateOnUpdate is false: a PUT that names no existing object is a 404.
func (strategy) AllowCreateOnUpdate(context.Context) bool { return false }

// AllowUnconditionalUpdate is false, as for a custom resource: a PUT without a resourceVersion could undo
// what somebody has just changed, such as a freeze.
func (strategy) AllowUnconditionalUpdate(context.Context) bool { return false }

// GetResetFields names what a request to maintenancepolicies cannot own.
func (strategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	return map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(v1beta1.SchemeGroupVersion.String()): fieldpath.NewSet(fieldpath.MakePathOrDie("status")),
	}
}

// PrepareForCreate sets the fields that only the server sets.
func (strategy) PrepareForCreate(_ context.Context, obj runtime.Object) {
	policy := obj.(*v1beta1.MaintenancePolicy)
	policy.Generation = 1
	policy.Status = v1beta1.MaintenancePolicyStatus{}
}

// Validate checks a new object.
func (strategy) Validate(_ context.Context, obj runtime.Object) field.ErrorList {
	return validation.ValidateMaintenancePolicy(obj.(*v1beta1.MaintenancePolicy))
}

// WarningsOnCreate returns none.
func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }

// PrepareForUpdate keeps what an update cannot change, and counts a new spec.
func (strategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	newPolicy, oldPolicy := obj.(*v1beta1.MaintenancePolicy), old.(*v1beta1.MaintenancePolicy)
	newPolicy.Status = oldPolicy.Status
	newPolicy.Unknown = oldPolicy.Unknown
	if !apiequality.Semantic.DeepEqual(newPolicy.Spec, oldPolicy.Spec) {
		newPolicy.Generation = oldPolicy.Generation + 1
	}
}

// ValidateUpdate checks a changed object.
func (strategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return validation.ValidateMaintenancePolicyUpdate(obj.(*v1beta1.MaintenancePolicy), old.(*v1beta1.MaintenancePolicy))
}

// WarningsOnUpdate returns none.
func (strategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

// Canonicalize has nothing to do: there is one way to write each object.
func (strategy) Canonicalize(runtime.Object) {}
