// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceledger

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/validation"
)

// strategy holds the rules for writes to maintenanceledgers.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
}

// NewStrategy returns the rules for create, update and delete of MaintenanceLedgers.
func NewStrategy(typer runtime.ObjectTyper) rest.CreateUpdateResetFieldsStrategy {
	return strategy{typer, names.SimpleNameGenerator}
}

// NamespaceScoped is false, as it is for nodes.
func (strategy) NamespaceScoped() bool { return false }

// AllowCreateOnUpdate is false: a PUT that names no existing object is a 404.
func (strategy) AllowCreateOnUpdate(context.Context) bool { return false }

// AllowUnconditionalUpdate is false: a decision counts only if nobody has written since it was made.
func (strategy) AllowUnconditionalUpdate(context.Context) bool { return false }

// GetResetFields returns none: all fields are the server's.
func (strategy) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set { return nil }

// PrepareForCreate leaves the owners of fields out. Only the server writes the ledger, and to follow the owners
// of thousands of entries would take longer than the write. Once they are left out, updates do not follow them.
func (strategy) PrepareForCreate(_ context.Context, obj runtime.Object) {
	obj.(*v1beta1.MaintenanceLedger).ManagedFields = nil
}

// Validate checks a new object.
func (strategy) Validate(_ context.Context, obj runtime.Object) field.ErrorList {
	return validation.ValidateMaintenanceLedger(obj.(*v1beta1.MaintenanceLedger))
}

// WarningsOnCreate returns none.
func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }

// PrepareForUpdate keeps what a newer version has stored.
func (strategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	newLedger, oldLedger := obj.(*v1beta1.MaintenanceLedger), old.(*v1beta1.MaintenanceLedger)
	newLedger.Unknown = oldLedger.Unknown
	newLedger.ManagedFields = nil
}

// ValidateUpdate checks what no ledger may say.
func (strategy) ValidateUpdate(_ context.Context, obj, old runtime.Object) field.ErrorList {
	return validation.ValidateMaintenanceLedgerUpdate(obj.(*v1beta1.MaintenanceLedger), old.(*v1beta1.MaintenanceLedger))
}

// WarningsOnUpdate returns none.
func (strategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}

// Canonicalize has nothing to do: there is one way to write each object.
func (strategy) Canonicalize(runtime.Object) {}
