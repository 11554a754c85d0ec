// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"maps"
	"slices"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxRules is more than anybody needs, and few enough to check all of them for each pod of a node.
const maxRules = 64

var (
	timeoutActions   = []v1beta1.TimeoutAction{v1beta1.OnTimeoutReport, v1beta1.OnTimeoutDelete}
	evictionPolicies = []v1beta1.EvictionPolicy{v1beta1.PolicyEvict, v1beta1.PolicyBlock}
	drainActions     = []v1beta1.DrainAction{v1beta1.ActionDrain, v1beta1.ActionSkip, v1beta1.ActionWaitCompleted}
)

// ValidateDrain checks a drain. path is the path of the drain in its object, or nil if the drain is
// the object.
func ValidateDrain(drain *v1beta1.DrainSpec, path *field.Path) field.ErrorList {
	allErrs := validateSelector(drain.PodSelector, path.Child("podSelector"))
	allErrs = append(allErrs, validateSeconds(drain.GracePeriodSeconds, path.Child("gracePeriodSeconds"))...)
	allErrs = append(allErrs, validateSeconds(drain.TimeoutSeconds, path.Child("timeoutSeconds"))...)
	allErrs = append(allErrs, validateEnum(drain.OnTimeout, timeoutActions, path.Child("onTimeout"))...)
	if drain.OnTimeout == v1beta1.OnTimeoutDelete && drain.TimeoutSeconds == nil {
		allErrs = append(allErrs, field.Required(path.Child("timeoutSeconds"), "must be set with onTimeout: Delete, which deletes pods after that time"))
	}
	allErrs = append(allErrs, validateEnum(drain.UnmanagedPods, evictionPolicies, path.Child("unmanagedPods"))...)
	allErrs = append(allErrs, validateEnum(drain.EmptyDirPods, evictionPolicies, path.Child("emptyDirPods"))...)
	return append(allErrs, validateRules(drain.Rules, path.Child("rules"))...)
}

func validateRules(rules []v1beta1.DrainRule, path *field.Path) field.ErrorList {
	if len(rules) > maxRules {
		return field.ErrorList{field.TooMany(path, len(rules), maxRules)}
	}
	var allErrs field.ErrorList
	for i := range rules {
		allErrs = append(allErrs, validateRule(&rules[i], path.Index(i))...)
	}
	return allErrs
}

func validateRule(rule *v1beta1.DrainRule, path *field.Path) field.ErrorList {
	allErrs := validateSelector(rule.PodSelector, path.Child("podSelector"))
	allErrs = append(allErrs, validateSelector(rule.NamespaceSelector, path.Child("namespaceSelector"))...)
	allErrs = append(allErrs, validateAnnotations(rule.PodAnnotations, path.Child("podAnnotations"))...)
	if rule.Action == "" {
		return append(allErrs, field.Required(path.Child("action"), "must be Drain, Skip or WaitCompleted"))
	}
	allErrs = append(allErrs, validateEnum(rule.Action, drainActions, path.Child("action"))...)
	if rule.Order != 0 && rule.Action != v1beta1.ActionDrain {
		allErrs = append(allErrs, field.Invalid(path.Child("order"), rule.Order,
			fmt.Sprintf("may be set only with action Drain, not with %s", rule.Action)))
	}
	return allErrs
}

// validateAnnotations checks the names with kube-apiserver's rule for annotations.
func validateAnnotations(annotations map[string]string, path *field.Path) field.ErrorList {
	allErrs := apivalidation.ValidateAnnotations(annotations, path)
	for _, name := range slices.Sorted(maps.Keys(annotations)) {
		if len(annotations[name]) > v1beta1.MaxRuleAnnotation {
			allErrs = append(allErrs, field.TooLong(path.Key(name), "", v1beta1.MaxRuleAnnotation))
		}
	}
	return allErrs
}

func validateSelector(selector *metav1.LabelSelector, path *field.Path) field.ErrorList {
	return metav1validation.ValidateLabelSelector(selector, metav1validation.LabelSelectorValidationOptions{}, path)
}
