// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxPriority and its negative are the bounds of a priority.
const maxPriority = 100

// validateStart checks what says when maintenance starts.
func validateStart(spec *v1beta1.NodeMaintenanceSpec, path *field.Path) field.ErrorList {
	allErrs := validateRange(spec.Priority, -maxPriority, maxPriority, path.Child("priority"))
	allErrs = append(allErrs, validateTime(spec.NotBefore, path.Child("notBefore"))...)
	allErrs = append(allErrs, validateTime(spec.StartDeadline, path.Child("startDeadline"))...)
	if spec.NotBefore != nil && spec.StartDeadline != nil && !spec.NotBefore.Before(spec.StartDeadline) {
		allErrs = append(allErrs, field.Invalid(path.Child("startDeadline"), spec.StartDeadline, "must be after notBefore"))
	}
	if spec.BypassPolicies && spec.Reason == "" {
		allErrs = append(allErrs, field.Required(path.Child("reason"), "must say why bypassPolicies is set"))
	}
	return allErrs
}
