// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var (
	eventPhases = []v1beta1.ScheduledEventPhase{
		v1beta1.EventPhasePending, v1beta1.EventPhaseDraining, v1beta1.EventPhaseDrained, v1beta1.EventPhaseReplacing,
		v1beta1.EventPhaseReturning, v1beta1.EventPhaseCompleted, v1beta1.EventPhaseCanceled, v1beta1.EventPhaseIgnored,
	}
	eventActions     = []v1beta1.EventAction{v1beta1.EventActionDrain, v1beta1.EventActionReplace, v1beta1.EventActionIgnore}
	strategies       = []v1beta1.ReplacementStrategy{v1beta1.SurgeFirst, v1beta1.DeleteFirst}
	replacementSteps = []v1beta1.ReplacementStep{
		v1beta1.StepSurge, v1beta1.StepAwaitNewNode, v1beta1.StepAwaitDrain, v1beta1.StepDelete, v1beta1.StepAwaitGone,
		v1beta1.StepAwaitReplaced, v1beta1.StepUndo, v1beta1.StepReplaced, v1beta1.StepGivenUp,
	}
)

// ValidateScheduledEventUpdate checks a changed object against the stored one. It does not check what is stored already
// and stays as it is.
func ValidateScheduledEventUpdate(newEvent, oldEvent *v1beta1.ScheduledEvent) field.ErrorList {
	if errs := validateEventSize(newEvent, oldEvent); len(errs) > 0 {
		return errs
	}
	path := field.NewPath("spec")
	allErrs := validateSameEvent(&newEvent.Spec, &oldEvent.Spec, path)
	allErrs = append(allErrs, validateStateStays(newEvent.Spec.State, oldEvent.Spec.State, path.Child("state"))...)
	return append(allErrs, broughtBy(validateAnnouncement(&newEvent.Spec, path), func() field.ErrorList {
		return validateAnnouncement(&oldEvent.Spec, path)
	})...)
}

// validateSameEvent refuses to make an event another one: the server may have begun to do what it asks for.
func validateSameEvent(newSpec, oldSpec *v1beta1.ScheduledEventSpec, path *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	for _, immutable := range []struct{ field, now, before string }{
		{"source", newSpec.Source, oldSpec.Source},
		{"eventID", newSpec.EventID, oldSpec.EventID},
		{"code", newSpec.Code, oldSpec.Code},
		{"nodeName", newSpec.NodeName, oldSpec.NodeName},
		{"instanceID", newSpec.InstanceID, oldSpec.InstanceID},
	} {
		if immutable.now != immutable.before {
			allErrs = append(allErrs, field.Invalid(path.Child(immutable.field), quoted(immutable.now), fmt.Sprintf(
				"field is immutable: must stay %q; for another event create another ScheduledEvent", immutable.before)))
		}
	}
	if !apiequality.Semantic.DeepEqual(newSpec.MachineRef, oldSpec.MachineRef) {
		allErrs = append(allErrs, field.Forbidden(path.Child("machineRef"), "field is immutable: for another event create another ScheduledEvent"))
	}
	return allErrs
}

func validateStateStays(now, before v1beta1.ScheduledEventState, path *field.Path) field.ErrorList {
	if now == before || before == v1beta1.EventScheduled || before == "" {
		return nil
	}
	return field.ErrorList{field.Invalid(path, quoted(string(now)), fmt.Sprintf(
		"must stay %s: the node is given back; if the event happens after all, create another ScheduledEvent", before))}
}

// ValidateScheduledEventStatusUpdate checks the status of an object after a write to it. It does not check what is stored
// already and stays as it is.
func ValidateScheduledEventStatusUpdate(newEvent, oldEvent *v1beta1.ScheduledEvent) field.ErrorList {
	return broughtBy(validateEventStatus(&newEvent.Status), func() field.ErrorList { return validateEventStatus(&oldEvent.Status) })
}

func validateEventStatus(status *v1beta1.ScheduledEventStatus) field.ErrorList {
	path := field.NewPath("status")
	allErrs := apivalidation.ValidateNonnegativeField(status.ObservedGeneration, path.Child("observedGeneration"))
	allErrs = append(allErrs, validateOptionalEnum(status.Phase, eventPhases, path.Child("phase"))...)
	allErrs = append(allErrs, validateOptionalEnum(status.Action, eventActions, path.Child("action"))...)
	if expected := status.ExpectedDrainSeconds; expected != nil {
		allErrs = append(allErrs, apivalidation.ValidateNonnegativeField(*expected, path.Child("expectedDrainSeconds"))...)
	}
	if replacement := status.Replacement; replacement != nil {
		replacementPath := path.Child("replacement")
		allErrs = append(allErrs, validateEnum(replacement.Strategy, strategies, replacementPath.Child("strategy"))...)
		allErrs = append(allErrs, validateEnum(replacement.Step, replacementSteps, replacementPath.Child("step"))...)
		if timeout := replacement.TimeoutSeconds; timeout != nil {
			allErrs = append(allErrs, apivalidation.ValidateNonnegativeField(*timeout, replacementPath.Child("timeoutSeconds"))...)
		}
	}
	return append(allErrs, metav1validation.ValidateConditions(status.Conditions, path.Child("conditions"))...)
}
