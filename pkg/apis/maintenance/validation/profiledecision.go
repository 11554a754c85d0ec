// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var profileDecisions = []v1beta1.ProfileDecision{
	v1beta1.ProfileApprove, v1beta1.ProfileVeto, v1beta1.ProfilePush, v1beta1.ProfileAbort,
}

// ValidateNodeProfileDecision checks a decision on the NodeProfile with the name, by a user. It does not check what
// depends on the NodeProfile.
func ValidateNodeProfileDecision(decision *v1beta1.NodeProfileDecision, name, by string) field.ErrorList {
	var allErrs field.ErrorList
	if decision.Name != "" && decision.Name != name {
		allErrs = append(allErrs, field.Invalid(field.NewPath("metadata", "name"), decision.Name,
			"must be the name of the NodeProfile in the URL, or left out"))
	}
	if decision.Decision == "" {
		return append(allErrs, field.Required(field.NewPath("decision"), "must be Approve, Veto, Push or Abort"))
	}
	allErrs = append(allErrs, validateEnum(decision.Decision, profileDecisions, field.NewPath("decision"))...)
	allErrs = append(allErrs, validateDecidedTransition(decision)...)
	allErrs = append(allErrs, validateSequence(decision.Sequence, name)...)
	allErrs = append(allErrs, validateDecisionReason(decision)...)
	allErrs = append(allErrs, validateDecisionExpiration(decision)...)
	return append(allErrs, validateRequestorLength(by, field.NewPath("by"))...)
}

func validateDecidedTransition(decision *v1beta1.NodeProfileDecision) field.ErrorList {
	path := field.NewPath("transition")
	if decision.Transition != "" {
		return validateInstanceName(decision.Transition, "", path)
	}
	if decision.Decision != v1beta1.ProfilePush {
		return nil
	}
	return field.ErrorList{field.Required(path, "must be the name of the transition to take; status.transitions has those that can be")}
}

func validateSequence(sequence int64, name string) field.ErrorList {
	if sequence > 0 {
		return nil
	}
	return field.ErrorList{field.Required(field.NewPath("sequence"), fmt.Sprintf(
		"must be the status.sequence of what you decide on; to see it: kubectl get nprof %s -o jsonpath='{.status.sequence}'", name))}
}

func validateDecisionReason(decision *v1beta1.NodeProfileDecision) field.ErrorList {
	path := field.NewPath("reason")
	if decision.Reason == "" && decision.Decision != v1beta1.ProfileApprove {
		return field.ErrorList{field.Required(path, fmt.Sprintf("must say why, for other people to read, since the decision is %s", decision.Decision))}
	}
	return append(validateReasonLength(decision.Reason, path), validateText(decision.Reason, path)...)
}

func validateDecisionExpiration(decision *v1beta1.NodeProfileDecision) field.ErrorList {
	path := field.NewPath("expirationSeconds")
	if decision.ExpirationSeconds != nil && (decision.Decision == v1beta1.ProfilePush || decision.Decision == v1beta1.ProfileAbort) {
		return field.ErrorList{field.Forbidden(path, fmt.Sprintf("is only for Approve and Veto: %s is done at once", decision.Decision))}
	}
	return validateOptional(decision.ExpirationSeconds, minuteSeconds, yearSeconds, path)
}
