// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var failureActions = []v1beta1.FailureAction{v1beta1.FailureRetry, v1beta1.FailureAbort}

func validateTriggers(triggers []v1beta1.ProfileTrigger, path *field.Path) field.ErrorList {
	names := instanceNames{}
	return validateEach(triggers, v1beta1.MaxProfileTriggers, path, func(trigger *v1beta1.ProfileTrigger, path *field.Path) field.ErrorList {
		allErrs := names.validate(trigger.Name, "what transitions and states call the trigger", path.Child("name"))
		allErrs = append(allErrs, validateSeconds(trigger.TimeoutSeconds, path.Child("timeoutSeconds"))...)
		allErrs = append(allErrs, validateOptionalEnum(trigger.OnFailure, failureActions, path.Child("onFailure"))...)
		return append(allErrs, validateUnion([]member{
			memberOf("patchNode", trigger.PatchNode, validatePatchNode),
			memberOf("hold", trigger.Hold, validateHoldTrigger),
			memberOf("release", trigger.Release, func(*v1beta1.ReleaseTrigger, *field.Path) field.ErrorList { return nil }),
			memberOf("job", trigger.Job, validateJob),
			memberOf("reboot", trigger.Reboot, validateReboot),
			memberOf("webhook", trigger.Webhook, func(webhook *v1beta1.WebhookTrigger, path *field.Path) field.ErrorList {
				return validateEndpointName(webhook.Endpoint, "webhook", path.Child("endpoint"))
			}),
			memberOf("patchObject", trigger.PatchObject, validatePatchObject),
		}, path)...)
	})
}

func validateHoldTrigger(trigger *v1beta1.HoldTrigger, path *field.Path) field.ErrorList {
	allErrs := validateOptionalEnum(trigger.Stage, holdStages, path.Child("stage"))
	if trigger.Drain == nil {
		return allErrs
	}
	return append(allErrs, ValidateDrain(trigger.Drain, path.Child("drain"))...)
}

func validateReboot(trigger *v1beta1.RebootTrigger, path *field.Path) field.ErrorList {
	if trigger.Job == nil {
		return nil
	}
	return validateJob(trigger.Job, path.Child("job"))
}

func validateJob(trigger *v1beta1.JobTrigger, path *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	if trigger.Namespace == "" {
		allErrs = append(allErrs, field.Required(path.Child("namespace"), "must be the namespace of the CronJob, where the Job is created, too"))
	} else {
		allErrs = append(allErrs, validateName(trigger.Namespace, apivalidation.ValidateNamespaceName, path.Child("namespace"))...)
	}
	if trigger.CronJob == "" {
		return append(allErrs, field.Required(path.Child("cronJob"), "must be the name of a CronJob with spec.suspend true"))
	}
	return append(allErrs, validateName(trigger.CronJob, apivalidation.NameIsDNSSubdomain, path.Child("cronJob"))...)
}
