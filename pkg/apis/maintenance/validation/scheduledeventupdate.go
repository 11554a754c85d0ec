// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

var (
	eventPhases = []maintenance.ScheduledEventPhase{
		maintenance.EventPhasePending, maintenance.EventPhaseDraining, maintenance.EventPhaseDrained, maintenance.EventPhaseReplacing,
		maintenance.EventPhaseReturning, maintenance.EventPhaseCompleted, maintenance.EventPhaseCanceled, maintenance.EventPhaseIgnored,
	}
	eventActions     = []maintenance.EventAction{maintenance.EventActionDrain, maintenance.EventActionReplace, maintenance.EventActionIgnore}
	strategies       = []maintenance.ReplacementStrategy{maintenance.SurgeFirst, maintenance.DeleteFirst}
	replacementSteps = []maintenance.ReplacementStep{
		maintenance.StepSurge, maintenance.StepAwaitNewNode, maintenance.StepAwaitDrain, maintenance.StepDelete, maintenance.StepAwaitGone,
		maintenance.StepAwaitReplaced, maintenance.StepUndo, maintenance.StepReplaced, maintenance.StepGivenUp,
	}
)

// ValidateScheduledEventUpdate checks a changed object against the stored one. It does not check what is stored already
// and stays as it is.
func ValidateScheduledEventUpdate(newEvent, oldEvent *maintenance.ScheduledEvent) field.ErrorList {
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
func validateSameEvent(newSpec, oldSpec *maintenance.ScheduledEventSpec, path *field.Path) field.ErrorList {
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

func validateStateStays(now, before maintenance.ScheduledEventState, path *field.Path) field.ErrorList {
	if now == before || before == maintenance.EventScheduled || before == "" {
		return nil
	}
	return field.ErrorList{field.Invalid(path, quoted(string(now)), fmt.Sprintf(
		"must stay %s: the node is given back; if the event happens after all, create another ScheduledEvent", before))}
}

// ValidateScheduledEventStatusUpdate checks the status of an object after a write to it. It does not check what is stored
// already and stays as it is.
func ValidateScheduledEventStatusUpdate(newEvent, oldEvent *maintenance.ScheduledEvent) field.ErrorList {
	return broughtBy(validateEventStatus(&newEvent.Status), func() field.ErrorList { return validateEventStatus(&oldEvent.Status) })
}

func validateEventStatus(status *maintenance.ScheduledEventStatus) field.ErrorList {
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
