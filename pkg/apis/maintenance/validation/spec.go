// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package validation checks NodeMaintenances, independent of who sends them. Its functions
// are pure.
package validation

import (
	"fmt"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// maxExpirationSeconds is 365 days. A longer maintenance can do without an expiration.
	maxExpirationSeconds = 365 * 24 * 60 * 60
	// maxSeconds is 30 days: longer than any drain, and short enough to catch milliseconds
	// that were meant as seconds.
	maxSeconds = 30 * 24 * 60 * 60
)

var stages = []v1beta1.MaintenanceStage{v1beta1.StageIdle, v1beta1.StageCordon, v1beta1.StageDrain}

// ValidateNodeMaintenance checks a new object. It does not check the status, since the
// server sets it.
func ValidateNodeMaintenance(nm *v1beta1.NodeMaintenance) field.ErrorList {
	// If the object is too large, return only that: errors about its parts could be very long.
	if errs := ValidateSize(nm, &v1beta1.NodeMaintenance{}); len(errs) > 0 {
		return errs
	}
	metadataPath := field.NewPath("metadata")
	allErrs := apivalidation.ValidateObjectMeta(&nm.ObjectMeta, false, apivalidation.NameIsDNSSubdomain, metadataPath)
	if nm.ResourceVersion != "" {
		// The store would refuse it too, but the client would get an internal server error.
		allErrs = append(allErrs, field.Forbidden(metadataPath.Child("resourceVersion"), "must not be set on a new object"))
	}
	allErrs = append(allErrs, validateImported(nm.Annotations)...)
	specPath := field.NewPath("spec")
	allErrs = append(allErrs, ValidateNodeName(nm.Spec.NodeName, specPath.Child("nodeName"))...)
	if nm.Spec.Requestor == "" {
		allErrs = append(allErrs, field.Required(specPath.Child("requestor"), "must be the user who makes the request"))
	}
	allErrs = append(allErrs, validateRequestorLength(nm.Spec.Requestor, specPath.Child("requestor"))...)
	allErrs = append(allErrs, validateText(nm.Spec.Reason, specPath.Child("reason"))...)
	return append(allErrs, validateChangeable(&nm.Spec, specPath)...)
}

// ValidateNodeMaintenanceUpdate checks a changed object against the stored one. Of the metadata it
// checks only what the server believes; the generic registry checks the rest. It does not check the size,
// which callers check with ValidateSize first, nor what is stored already and stays as it is.
func ValidateNodeMaintenanceUpdate(newNM, oldNM *v1beta1.NodeMaintenance) field.ErrorList {
	specPath := field.NewPath("spec")
	allErrs := validateImportedUpdate(newNM, oldNM)
	if newNM.Spec.NodeName != oldNM.Spec.NodeName {
		allErrs = append(allErrs, field.Invalid(specPath.Child("nodeName"), newNM.Spec.NodeName, fmt.Sprintf(
			"field is immutable: must stay %q; for another node create another NodeMaintenance", oldNM.Spec.NodeName)))
	}
	if newNM.Spec.Requestor != oldNM.Spec.Requestor {
		allErrs = append(allErrs, field.Invalid(specPath.Child("requestor"), newNM.Spec.Requestor, fmt.Sprintf(
			"field is immutable: must stay %q, the user who created this NodeMaintenance", oldNM.Spec.Requestor)))
	}
	if oldNM.Spec.BypassPolicies && !newNM.Spec.BypassPolicies {
		allErrs = append(allErrs, field.Invalid(specPath.Child("bypassPolicies"), false,
			"cannot be unset: the policies have been bypassed; to go by them again, delete this NodeMaintenance and create another"))
	}
	if newNM.Spec.Reason != oldNM.Spec.Reason {
		allErrs = append(allErrs, validateText(newNM.Spec.Reason, specPath.Child("reason"))...)
	}
	return append(allErrs, broughtBy(validateChangeable(&newNM.Spec, specPath), func() field.ErrorList {
		return validateChangeable(&oldNM.Spec, specPath)
	})...)
}

// ValidateNodeName checks a name with kube-apiserver's rule for names of nodes.
func ValidateNodeName(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "must name the node to take out of service")}
	}
	if errs := validateNodeNameLength(name, path); len(errs) > 0 {
		return errs
	}
	var allErrs field.ErrorList
	for _, problem := range apivalidation.NameIsDNSSubdomain(name, false) {
		allErrs = append(allErrs, field.Invalid(path, name, problem))
	}
	return allErrs
}

// validateText refuses a text that does not look like what it is.
func validateText(value string, path *field.Path) field.ErrorList {
	hidden, position := text.FirstHidden(value)
	if position == 0 || len(validateReasonLength(value, path)) > 0 {
		return nil // a text that is too long is not quoted
	}
	return field.ErrorList{field.Invalid(path, value, fmt.Sprintf("must not have the %s, which is at position %d",
		text.Describe(hidden), position))}
}

// validateChangeable checks the fields that an update can change.
func validateChangeable(spec *v1beta1.NodeMaintenanceSpec, path *field.Path) field.ErrorList {
	allErrs := validateReasonLength(spec.Reason, path.Child("reason"))
	allErrs = append(allErrs, validateEnum(spec.Stage, stages, path.Child("stage"))...)
	if seconds := spec.ExpirationSeconds; seconds != nil && (*seconds < 1 || *seconds > maxExpirationSeconds) {
		allErrs = append(allErrs, field.Invalid(path.Child("expirationSeconds"), *seconds,
			validation.InclusiveRangeError(1, maxExpirationSeconds)+" (365 days)"))
	}
	allErrs = append(allErrs, validateStart(spec, path)...)
	return append(allErrs, ValidateDrain(&spec.Drain, path.Child("drain"))...)
}

func validateSeconds(seconds *int64, path *field.Path) field.ErrorList {
	if seconds == nil || (*seconds >= 1 && *seconds <= maxSeconds) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *seconds, validation.InclusiveRangeError(1, maxSeconds)+" (30 days)")}
}
