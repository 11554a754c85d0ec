// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var phases = []v1beta1.MaintenancePhase{
	v1beta1.PhasePending, v1beta1.PhaseRunning, v1beta1.PhaseSucceeded, v1beta1.PhaseFailed,
}

// ValidateNodeMaintenanceStatusUpdate checks the status of an object after a write to it. It does not check what
// is stored already and stays as it is.
func ValidateNodeMaintenanceStatusUpdate(newNM, oldNM *v1beta1.NodeMaintenance) field.ErrorList {
	return broughtBy(validateStatus(&newNM.Status), func() field.ErrorList { return validateStatus(&oldNM.Status) })
}

func validateStatus(status *v1beta1.NodeMaintenanceStatus) field.ErrorList {
	path := field.NewPath("status")
	allErrs := validateEnum(status.Phase, phases, path.Child("phase"))
	allErrs = append(allErrs, validateCounts(status, path)...)
	if count := len(status.PendingPods); count > v1beta1.MaxPendingPods {
		allErrs = append(allErrs, field.TooMany(path.Child("pendingPods"), count, v1beta1.MaxPendingPods))
	}
	allErrs = append(allErrs, validateBlockers(status.Blockers, path.Child("blockers"))...)
	return append(allErrs, metav1validation.ValidateConditions(status.Conditions, path.Child("conditions"))...)
}

func validateCounts(status *v1beta1.NodeMaintenanceStatus, path *field.Path) field.ErrorList {
	allErrs := apivalidation.ValidateNonnegativeField(status.ObservedGeneration, path.Child("observedGeneration"))
	if progress := ptr.Deref(status.DrainProgress, 0); progress < 0 || progress > 100 {
		allErrs = append(allErrs, field.Invalid(path.Child("drainProgress"), progress,
			validation.InclusiveRangeError(0, 100)))
	}
	for _, count := range []struct {
		field string
		value int32
	}{
		{"evictionPods", status.EvictionPods},
		{"totalPods", status.TotalPods},
		{"pendingPodCount", status.PendingPodCount},
		{"blockedPodCount", status.BlockedPodCount},
		{"skippedPodCount", status.SkippedPodCount},
		{"leaseErrorCount", status.LeaseErrorCount},
	} {
		allErrs = append(allErrs, apivalidation.ValidateNonnegativeField(int64(count.value), path.Child(count.field))...)
	}
	return allErrs
}

func validateBlockers(blockers []v1beta1.DrainBlocker, path *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	if len(blockers) > v1beta1.MaxBlockers {
		allErrs = append(allErrs, field.TooMany(path, len(blockers), v1beta1.MaxBlockers))
	}
	for i, blocker := range blockers {
		if blocker.Pod == "" {
			allErrs = append(allErrs, field.Required(path.Index(i).Child("pod"), "must be the blocked pod, as namespace/name"))
		}
		if blocker.Reason == "" {
			allErrs = append(allErrs, field.Required(path.Index(i).Child("reason"), "must be the kind of blocker"))
		}
	}
	return allErrs
}

// maxQuotedBytes is how much of an unsupported value an error quotes.
const maxQuotedBytes = 64

func validateEnum[T ~string](value T, supported []T, path *field.Path) field.ErrorList {
	if slices.Contains(supported, value) {
		return nil
	}
	// A value can be as long as a request; its beginning is enough.
	return field.ErrorList{field.NotSupported(path, value[:min(len(value), maxQuotedBytes)], supported)}
}
