// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// ValidateMaintenanceLedger checks a new ledger. There is one, so it has one name.
func ValidateMaintenanceLedger(ledger *v1beta1.MaintenanceLedger) field.ErrorList {
	path := field.NewPath("metadata")
	if ledger.Name != v1beta1.LedgerName {
		return field.ErrorList{field.NotSupported(path.Child("name"), ledger.Name, []string{v1beta1.LedgerName})}
	}
	allErrs := apivalidation.ValidateObjectMeta(&ledger.ObjectMeta, false, apivalidation.NameIsDNSSubdomain, path)
	return append(allErrs, validateProfilesInLedger(&ledger.Spec, field.NewPath("spec"))...)
}

// ValidateMaintenanceLedgerUpdate checks what no ledger may say of profiles. The rest is what the server has decided.
func ValidateMaintenanceLedgerUpdate(newLedger, oldLedger *v1beta1.MaintenanceLedger) field.ErrorList {
	path := field.NewPath("spec")
	return broughtBy(validateProfilesInLedger(&newLedger.Spec, path), func() field.ErrorList {
		return validateProfilesInLedger(&oldLedger.Spec, path)
	})
}

// validateProfilesInLedger checks that one profile at most is InMaintenance on each node.
func validateProfilesInLedger(spec *v1beta1.MaintenanceLedgerSpec, path *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	if count := len(spec.InMaintenance); count > v1beta1.MaxInMaintenance {
		allErrs = append(allErrs, field.TooMany(path.Child("inMaintenance"), count, v1beta1.MaxInMaintenance))
	}
	nodes, pools := sets.New[string](), sets.New[string]()
	for i, entry := range spec.InMaintenance {
		if nodes.Has(entry.Node) {
			allErrs = append(allErrs, field.Duplicate(path.Child("inMaintenance").Index(i).Child("node"), entry.Node))
		}
		nodes.Insert(entry.Node)
	}
	for i, pool := range spec.Pools {
		if pools.Has(pool.Name) {
			allErrs = append(allErrs, field.Duplicate(path.Child("pools").Index(i).Child("name"), pool.Name))
		}
		pools.Insert(pool.Name)
	}
	return allErrs
}
