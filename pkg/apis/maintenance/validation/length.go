// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	maxReasonCharacters = 1024
	// maxRequestorBytes is more than names of users need. The requestor is copied to an
	// annotation of the node, which must stay small.
	maxRequestorBytes = 1024
)

// validateLengths limits the texts of a spec that have a limit of their own. The errors do not quote
// them: a text can be as long as a request.
func validateLengths(spec *v1beta1.NodeMaintenanceSpec, path *field.Path) field.ErrorList {
	allErrs := validateNodeNameLength(spec.NodeName, path.Child("nodeName"))
	allErrs = append(allErrs, validateRequestorLength(spec.Requestor, path.Child("requestor"))...)
	return append(allErrs, validateReasonLength(spec.Reason, path.Child("reason"))...)
}

func validateNodeNameLength(name string, path *field.Path) field.ErrorList {
	if len(name) <= validation.DNS1123SubdomainMaxLength {
		return nil
	}
	return field.ErrorList{field.TooLong(path, "", validation.DNS1123SubdomainMaxLength)}
}

func validateRequestorLength(requestor string, path *field.Path) field.ErrorList {
	if len(requestor) <= maxRequestorBytes {
		return nil
	}
	return field.ErrorList{field.TooLong(path, "", maxRequestorBytes)}
}

func validateReasonLength(reason string, path *field.Path) field.ErrorList {
	if utf8.RuneCountInString(reason) <= maxReasonCharacters {
		return nil
	}
	return field.ErrorList{field.TooLongCharacters(path, "", maxReasonCharacters)}
}
