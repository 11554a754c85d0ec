// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package managedv1alpha1

import (
	"fmt"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var (
	namePath = field.NewPath("metadata", "name")
	specPath = field.NewPath("spec")
)

// Validate checks a new MachineMaintenance for what its ScheduledEvent is not checked for.
func Validate(mm *MachineMaintenance) field.ErrorList {
	errs := validateName(mm)
	if mm.Spec.MachineID == "" {
		errs = append(errs, field.Required(specPath.Child("machineid"), "the id of the machine at AWS, such as i-0abcd1234"))
	}
	if mm.Spec.MachineLink == "" {
		errs = append(errs, field.Required(specPath.Child("machinelink"), "the name of the Machine in namespace "+MachineNamespace))
	}
	return errs
}

// validateName refuses a name that does not fit into that of the ScheduledEvent.
func validateName(mm *MachineMaintenance) field.ErrorList {
	var errs field.ErrorList
	for _, wrong := range apivalidation.NameIsDNSSubdomain(mm.Name, false) {
		errs = append(errs, field.Invalid(namePath, mm.Name, wrong))
	}
	most := utilvalidation.DNS1123SubdomainMaxLength - len(EventName(mm.Namespace, ""))
	if len(errs) == 0 && len(mm.Name) > most {
		errs = append(errs, field.Invalid(namePath, mm.Name, fmt.Sprintf(
			"must be no more than %d characters in namespace %q: it is stored as ScheduledEvent %s", most, mm.Namespace, EventName(mm.Namespace, "NAME"))))
	}
	return errs
}

// ValidateUpdate checks what has changed. An empty eventcode is no change: it stands for the one that was chosen.
func ValidateUpdate(mm, old *MachineMaintenance) field.ErrorList {
	spec := mm.Spec
	if spec.EventCode == "" {
		spec.EventCode = old.Spec.EventCode
	}
	var errs field.ErrorList
	for _, changed := range []struct{ path, value, old string }{
		{"eventcode", spec.EventCode, old.Spec.EventCode},
		{"eventid", spec.EventID, old.Spec.EventID},
		{"machineid", spec.MachineID, old.Spec.MachineID},
		{"machinelink", spec.MachineLink, old.Spec.MachineLink},
	} {
		errs = append(errs, apivalidation.ValidateImmutableField(changed.value, changed.old, specPath.Child(changed.path))...)
	}
	if old.Spec.MaintenanceScheduled && !spec.MaintenanceScheduled {
		errs = append(errs, field.Forbidden(specPath.Child("maintenancescheduled"),
			"stays true: the machine has been deleted, or nothing is to be done any more; delete this object and create a new one to have it done again"))
	}
	return errs
}
