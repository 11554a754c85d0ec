// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxPolicyBytes has room for every list at its maximum, twice: kubectl apply adds an annotation with the whole object.
const maxPolicyBytes = 256 << 10

// ValidateMaintenancePolicy checks a new object. It does not check the status, since the server sets it.
func ValidateMaintenancePolicy(policy *v1beta1.MaintenancePolicy) field.ErrorList {
	// If the object is too large, return only that: errors about its parts could be very long.
	if errs := validatePolicySize(policy, &v1beta1.MaintenancePolicy{}); len(errs) > 0 {
		return errs
	}
	metadataPath := field.NewPath("metadata")
	allErrs := apivalidation.ValidateObjectMeta(&policy.ObjectMeta, false, apivalidation.NameIsDNSSubdomain, metadataPath)
	if policy.ResourceVersion != "" {
		allErrs = append(allErrs, field.Forbidden(metadataPath.Child("resourceVersion"), "must not be set on a new object"))
	}
	return append(allErrs, validatePolicySpec(&policy.Spec, field.NewPath("spec"))...)
}

// ValidateMaintenancePolicyUpdate checks a changed object against the stored one. It does not check what is
// stored already and stays as it is: a newer version may have stored it.
func ValidateMaintenancePolicyUpdate(newPolicy, oldPolicy *v1beta1.MaintenancePolicy) field.ErrorList {
	if errs := validatePolicySize(newPolicy, oldPolicy); len(errs) > 0 {
		return errs
	}
	specPath := field.NewPath("spec")
	return broughtBy(validatePolicySpec(&newPolicy.Spec, specPath), func() field.ErrorList {
		return validatePolicySpec(&oldPolicy.Spec, specPath)
	})
}

// validatePolicySize never refuses an update that makes a policy no larger.
func validatePolicySize(newPolicy, oldPolicy *v1beta1.MaintenancePolicy) field.ErrorList {
	withoutStatus := func(policy *v1beta1.MaintenancePolicy) v1beta1.MaintenancePolicy {
		return v1beta1.MaintenancePolicy{ObjectMeta: policy.ObjectMeta, Spec: policy.Spec}
	}
	return validateBytes(withoutStatus(newPolicy), withoutStatus(oldPolicy), maxPolicyBytes, field.NewPath("object"))
}

func validatePolicySpec(spec *v1beta1.MaintenancePolicySpec, path *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	if spec.NodeSelector == nil {
		allErrs = append(allErrs, field.Required(path.Child("nodeSelector"), "must select the nodes that the policy is for; {} selects all nodes"))
	}
	allErrs = append(allErrs, validateSelector(spec.NodeSelector, path.Child("nodeSelector"))...)
	allErrs = append(allErrs, validateLimits(&spec.Limits, path.Child("limits"))...)
	allErrs = append(allErrs, validatePace(spec.Pace, path.Child("pace"))...)
	allErrs = append(allErrs, validateAutoStop(spec.AutoStop, path.Child("autoStop"))...)
	allErrs = append(allErrs, validateSchedule(spec.Schedule, path.Child("schedule"))...)
	allErrs = append(allErrs, validateApprovals(spec.Approvals, path.Child("approvals"))...)
	allErrs = append(allErrs, validateGates(spec.Gates, path.Child("gates"))...)
	allErrs = append(allErrs, validatePolicyEvents(spec.Events, path.Child("events"))...)
	return append(allErrs, validateOptional(spec.Queue.AgingSeconds, 0, monthSeconds, path.Child("queue", "agingSeconds"))...)
}

// ValidateMaintenancePolicyStatusUpdate checks a changed status.
func ValidateMaintenancePolicyStatusUpdate(newPolicy, oldPolicy *v1beta1.MaintenancePolicy) field.ErrorList {
	return broughtBy(validatePolicyStatus(&newPolicy.Status), func() field.ErrorList {
		return validatePolicyStatus(&oldPolicy.Status)
	})
}

func validatePolicyStatus(status *v1beta1.MaintenancePolicyStatus) field.ErrorList {
	path := field.NewPath("status")
	allErrs := apivalidation.ValidateNonnegativeField(status.ObservedGeneration, path.Child("observedGeneration"))
	for _, count := range []struct {
		field string
		value int32
	}{
		{"selected", status.Selected},
		{"inMaintenance", status.InMaintenance},
		{"soaking", status.Soaking},
		{"unavailable", status.Unavailable},
		{"waiting", status.Waiting},
	} {
		allErrs = append(allErrs, apivalidation.ValidateNonnegativeField(int64(count.value), path.Child(count.field))...)
	}
	return append(allErrs, metav1validation.ValidateConditions(status.Conditions, path.Child("conditions"))...)
}
