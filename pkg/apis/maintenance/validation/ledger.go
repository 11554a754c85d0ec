// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// ValidateMaintenanceLedger checks a new object. There is one ledger, with one name. Its size is not checked:
// only the server writes it, and it lets nothing more start before the store would refuse it.
func ValidateMaintenanceLedger(ledger *maintenance.MaintenanceLedger) field.ErrorList {
	path := field.NewPath("metadata")
	if ledger.Name != maintenance.LedgerName {
		return field.ErrorList{field.NotSupported(path.Child("name"), ledger.Name, []string{maintenance.LedgerName})}
	}
	return apivalidation.ValidateObjectMeta(&ledger.ObjectMeta, false, apivalidation.NameIsDNSSubdomain, path)
}
