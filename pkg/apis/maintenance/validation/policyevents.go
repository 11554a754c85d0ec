// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	maxEventActions       = 32
	minReplacementSeconds = 60
)

var latestStartActions = []v1beta1.LatestStartAction{v1beta1.LatestStartStart, v1beta1.LatestStartWait}

// validatePolicyEvents checks what happens at ScheduledEvents.
func validatePolicyEvents(events *v1beta1.PolicyEvents, path *field.Path) field.ErrorList {
	if events == nil {
		return nil
	}
	seen := sets.New[string]()
	allErrs := validateEach(events.Actions, maxEventActions, path.Child("actions"), func(action *v1beta1.PolicyEventAction, path *field.Path) field.ErrorList {
		if seen.Has(action.Code) {
			return field.ErrorList{field.Duplicate(path.Child("code"), quoted(action.Code))}
		}
		seen.Insert(action.Code)
		return append(validateEventCode(action.Code, path.Child("code")), validateEnum(action.Action, eventActions, path.Child("action"))...)
	})
	allErrs = append(allErrs, validateEnum(events.AtLatestStart, latestStartActions, path.Child("atLatestStart"))...)
	if events.Replacement == nil {
		return allErrs
	}
	replacementPath := path.Child("replacement")
	allErrs = append(allErrs, validateOptionalEnum(events.Replacement.Strategy, strategies, replacementPath.Child("strategy"))...)
	return append(allErrs, validateOptional(events.Replacement.TimeoutSeconds, minReplacementSeconds, daySeconds, replacementPath.Child("timeoutSeconds"))...)
}
