// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var missingResults = []v1beta1.MissingResult{v1beta1.MissingError, v1beta1.MissingFalse, v1beta1.MissingTrue}

func validateNodeCheck(check *v1beta1.NodeExpressionCheck, path *field.Path) field.ErrorList {
	return validateExpression(check.Expression, nodeExpression, path.Child("expression"))
}

func validateObjectCheck(check *v1beta1.ObjectCheck, path *field.Path) field.ErrorList {
	allErrs := validateObjectsOf(check.APIVersion, check.Resource, check.Namespace, path)
	expression := objectExpression
	switch {
	case check.NameExpression == "" && check.Selector == nil:
		allErrs = append(allErrs, field.Required(path, "must have nameExpression, for one object, or selector, for several; selector: {} selects all"))
	case check.NameExpression != "" && check.Selector != nil:
		allErrs = append(allErrs, field.Invalid(path, "nameExpression, selector", "must have exactly one of: nameExpression, selector"))
	case check.Selector != nil:
		expression = objectsExpression
		allErrs = append(allErrs, validateSelector(check.Selector, path.Child("selector"))...)
	default:
		allErrs = append(allErrs, validateExpression(check.NameExpression, nameExpression, path.Child("nameExpression"))...)
	}
	allErrs = append(allErrs, validateExpression(check.Expression, expression, path.Child("expression"))...)
	return append(allErrs, validateOptionalEnum(check.Missing, missingResults, path.Child("missing"))...)
}

// validateObjectsOf checks of which resource objects are, and where.
func validateObjectsOf(apiVersion, resource, namespace string, path *field.Path) field.ErrorList {
	allErrs := validateAPIVersion(apiVersion, path.Child("apiVersion"))
	if resource == "" {
		allErrs = append(allErrs, field.Required(path.Child("resource"), "must be the name of a resource in the plural, such as deployments"))
	}
	for _, problem := range apivalidation.NameIsDNSLabel(resource, false) {
		if resource != "" {
			allErrs = append(allErrs, field.Invalid(path.Child("resource"), quoted(resource), problem))
		}
	}
	if namespace != "" {
		allErrs = append(allErrs, validateName(namespace, apivalidation.ValidateNamespaceName, path.Child("namespace"))...)
	}
	return allErrs
}

func validateAPIVersion(apiVersion string, path *field.Path) field.ErrorList {
	if apiVersion == "" {
		return field.ErrorList{field.Required(path, "must be a group and version, such as apps/v1, or v1")}
	}
	parsed, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || parsed.Version == "" {
		return field.ErrorList{field.Invalid(path, quoted(apiVersion), "must be a group and version, such as apps/v1, or v1")}
	}
	allErrs := validateName(parsed.Version, apivalidation.NameIsDNSLabel, path)
	if parsed.Group != "" {
		allErrs = append(allErrs, validateName(parsed.Group, apivalidation.NameIsDNSSubdomain, path)...)
	}
	return allErrs
}

// validateName checks a name that is set.
func validateName(name string, validate apivalidation.ValidateNameFunc, path *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	for _, problem := range validate(name, false) {
		allErrs = append(allErrs, field.Invalid(path, quoted(name), problem))
	}
	return allErrs
}

func validatePatchObject(trigger *v1beta1.PatchObjectTrigger, path *field.Path) field.ErrorList {
	allErrs := validateObjectsOf(trigger.APIVersion, trigger.Resource, trigger.Namespace, path)
	if parsed, err := schema.ParseGroupVersion(trigger.APIVersion); err == nil {
		if why := v1beta1.WhyUnpatchable(parsed.Group, trigger.Resource); why != "" {
			allErrs = append(allErrs, field.Forbidden(path.Child("resource"), why))
		}
	}
	allErrs = append(allErrs, validateExpression(trigger.NameExpression, nameExpression, path.Child("nameExpression"))...)
	return append(allErrs, validateExpression(trigger.PatchExpression, patchExpression, path.Child("patchExpression"))...)
}
