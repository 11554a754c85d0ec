// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// ValidateNodeProfile checks a new object, which the server has made. Its name and its spec say the same.
func ValidateNodeProfile(nodeProfile *v1beta1.NodeProfile) field.ErrorList {
	metadataPath, specPath := field.NewPath("metadata"), field.NewPath("spec")
	allErrs := apivalidation.ValidateObjectMeta(&nodeProfile.ObjectMeta, false, apivalidation.NameIsDNSSubdomain, metadataPath)
	spec := &nodeProfile.Spec
	allErrs = append(allErrs, ValidateNodeName(spec.NodeName, specPath.Child("nodeName"))...)
	allErrs = append(allErrs, validateName(spec.Profile, apivalidation.NameIsDNSLabel, specPath.Child("profile"))...)
	if want := v1beta1.NodeProfileName(spec.NodeName, spec.Profile); len(allErrs) == 0 && nodeProfile.Name != want {
		allErrs = append(allErrs, field.NotSupported(metadataPath.Child("name"), nodeProfile.Name, []string{want}))
	}
	return allErrs
}

// ValidateNodeProfileUpdate checks that the spec stays.
func ValidateNodeProfileUpdate(newNodeProfile, oldNodeProfile *v1beta1.NodeProfile) field.ErrorList {
	return apivalidation.ValidateImmutableField(newNodeProfile.Spec, oldNodeProfile.Spec, field.NewPath("spec"))
}

// ValidateNodeProfileStatusUpdate checks the status of an object after a write to it. It does not check what is stored
// already and stays as it is.
func ValidateNodeProfileStatusUpdate(newNodeProfile, oldNodeProfile *v1beta1.NodeProfile) field.ErrorList {
	return broughtBy(validateNodeProfileStatus(&newNodeProfile.Status), func() field.ErrorList {
		return validateNodeProfileStatus(&oldNodeProfile.Status)
	})
}

// validateNodeProfileStatus checks what keeps the status small, and what others rely on.
func validateNodeProfileStatus(status *v1beta1.NodeProfileStatus) field.ErrorList {
	path := field.NewPath("status")
	allErrs := validateOptionalEnum(status.State, profileStates, path.Child("state"))
	allErrs = append(allErrs, apivalidation.ValidateNonnegativeField(status.Sequence, path.Child("sequence"))...)
	for _, list := range []struct {
		field        string
		length, most int
	}{
		{"checks", len(status.Checks), v1beta1.MaxProfileChecks},
		{"transitions", len(status.Transitions), v1beta1.MaxStateItems},
		{"notifications", len(status.Notifications), v1beta1.MaxNotifications},
		{"decisions", len(status.Decisions), v1beta1.MaxDecisions},
		{"history", len(status.History), v1beta1.MaxHistory},
	} {
		if list.length > list.most {
			allErrs = append(allErrs, field.TooMany(path.Child(list.field), list.length, list.most))
		}
	}
	return append(allErrs, metav1validation.ValidateConditions(status.Conditions, path.Child("conditions"))...)
}
