// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var decisions = []v1beta1.ApprovalDecision{v1beta1.DecisionApproved, v1beta1.DecisionDenied}

// ValidateMaintenanceApproval checks what a person sends to decide of the NodeMaintenance of that name. by is who
// that is. Whether the policy asks for approvals is for the caller to find out.
func ValidateMaintenanceApproval(approval *v1beta1.MaintenanceApproval, name, by string) field.ErrorList {
	var allErrs field.ErrorList
	if approval.Name != "" && approval.Name != name {
		allErrs = append(allErrs, field.Invalid(field.NewPath("metadata", "name"), approval.Name,
			"must be the name of the NodeMaintenance in the URL, or left out"))
	}
	if approval.Decision == "" {
		allErrs = append(allErrs, field.Required(field.NewPath("decision"), "must be Approved or Denied"))
	} else {
		allErrs = append(allErrs, validateEnum(approval.Decision, decisions, field.NewPath("decision"))...)
	}
	allErrs = append(allErrs, validateSeen(approval, name)...)
	allErrs = append(allErrs, validateReasonLength(approval.Reason, field.NewPath("reason"))...)
	allErrs = append(allErrs, validateText(approval.Reason, field.NewPath("reason"))...)
	return append(allErrs, validateRequestorLength(by, field.NewPath("by"))...)
}

// validateSeen checks that an approval says what it is of. The name alone does not: the NodeMaintenance may have been
// changed since, or deleted, and another one created. A denial is right of whatever has the name.
func validateSeen(approval *v1beta1.MaintenanceApproval, name string) field.ErrorList {
	var allErrs field.ErrorList
	show := fmt.Sprintf("to see it: kubectl get nm %s -o jsonpath='{.metadata.uid} {.metadata.generation}'", name)
	approved := approval.Decision == v1beta1.DecisionApproved
	if approved && approval.UID == "" {
		allErrs = append(allErrs, field.Required(field.NewPath("uid"), "must be the metadata.uid of what you approve; "+show))
	}
	if approved && approval.Generation == 0 {
		allErrs = append(allErrs, field.Required(field.NewPath("generation"), "must be the metadata.generation of what you approve; "+show))
	}
	if approval.Generation < 0 {
		allErrs = append(allErrs, field.Invalid(field.NewPath("generation"), approval.Generation, "must be the metadata.generation of the NodeMaintenance"))
	}
	return allErrs
}
