// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var (
	profileStates = []v1beta1.ProfileState{
		v1beta1.ProfileOperational, v1beta1.ProfileMaintenanceRequired, v1beta1.ProfileInMaintenance,
	}
	// holdStages are those that take a node out of service.
	holdStages = []v1beta1.MaintenanceStage{v1beta1.StageCordon, v1beta1.StageDrain}
)

func (in instances) validateStates(states *v1beta1.ProfileStates, path *field.Path) field.ErrorList {
	allErrs := in.validateState(&states.Operational, v1beta1.ProfileOperational, path.Child("operational"))
	allErrs = append(allErrs, in.validateState(&states.MaintenanceRequired, v1beta1.ProfileMaintenanceRequired, path.Child("maintenanceRequired"))...)
	return append(allErrs, in.validateState(&states.InMaintenance, v1beta1.ProfileInMaintenance, path.Child("inMaintenance"))...)
}

func (in instances) validateState(spec *v1beta1.ProfileStateSpec, state v1beta1.ProfileState, path *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	if spec.Hold != nil {
		allErrs = append(allErrs, validateEnum(spec.Hold.Stage, holdStages, path.Child("hold", "stage"))...)
		allErrs = append(allErrs, ValidateDrain(&spec.Hold.Drain, path.Child("hold", "drain"))...)
	}
	allErrs = append(allErrs, in.validateTriggerNames(spec.Enter, path.Child("enter"))...)
	allErrs = append(allErrs, in.validateNotifierNames(spec.Notify, path.Child("notify"))...)
	names := instanceNames{}
	return append(allErrs, validateEach(spec.Transitions, v1beta1.MaxStateItems, path.Child("transitions"),
		func(transition *v1beta1.ProfileTransition, path *field.Path) field.ErrorList {
			errs := names.validate(transition.Name, "what people and the status of NodeProfiles call the transition", path.Child("name"))
			return append(errs, in.validateTransition(transition, state, path)...)
		})...)
}

// validateTriggerNames allows the same trigger twice: each is done where it stands.
func (in instances) validateTriggerNames(names []string, path *field.Path) field.ErrorList {
	return validateEach(names, v1beta1.MaxStateItems, path, func(name *string, path *field.Path) field.ErrorList {
		return validateReference(*name, in.triggers, "spec.triggers", path)
	})
}

func (in instances) validateNotifierNames(names []string, path *field.Path) field.ErrorList {
	if len(names) > v1beta1.MaxStateItems {
		return field.ErrorList{field.TooMany(path, len(names), v1beta1.MaxStateItems)}
	}
	return validateSet(names, path, func(name string, path *field.Path) field.ErrorList {
		return validateReference(name, in.notifiers, "spec.notifiers", path)
	})
}

func (in instances) validateTransition(transition *v1beta1.ProfileTransition, from v1beta1.ProfileState, path *field.Path) field.ErrorList {
	allErrs := in.validateChain(transition.Check, path.Child("check"))
	allErrs = append(allErrs, in.validateTriggerNames(transition.Triggers, path.Child("triggers"))...)
	return append(allErrs, validateNext(transition.Next, from, path.Child("next"))...)
}

func (in instances) validateChain(chain string, path *field.Path) field.ErrorList {
	if strings.TrimSpace(chain) == "" {
		return field.ErrorList{field.Required(path, `must be a chain of names of spec.checks, such as "approved && !(frozen || busy)"`)}
	}
	return validateProgram(chain, v1beta1.MaxExpressionBytes, path, func(text string) error { return checkChain(text, in.checks) })
}

func validateNext(next, from v1beta1.ProfileState, path *field.Path) field.ErrorList {
	others := slices.DeleteFunc(slices.Clone(profileStates), func(state v1beta1.ProfileState) bool { return state == from })
	switch next {
	case "":
		return field.ErrorList{field.Required(path, fmt.Sprintf("must be the state that it leads to: %s or %s", others[0], others[1]))}
	case from:
		return field.ErrorList{field.Invalid(path, next, fmt.Sprintf("must be another state than the one that it leads from: %s or %s", others[0], others[1]))}
	}
	return validateEnum(next, others, path)
}
