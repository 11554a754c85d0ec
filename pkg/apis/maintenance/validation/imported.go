// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxImportedBytes has room for what an import writes: two long names and an error of half a KiB, escaped.
const maxImportedBytes = 8 << 10

// operatorTaints are those that the node-maintenance operators set.
var operatorTaints = []string{
	v1beta1.DrainTaint + ":NoSchedule", "kubevirt.io/drain:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule",
}

var importedPath = field.NewPath("metadata", "annotations").Key(v1beta1.ImportedAnnotation)

// validateImported checks what the annotation of an imported hold says, since the server believes it.
func validateImported(annotations map[string]string) field.ErrorList {
	if len(annotations[v1beta1.ImportedAnnotation]) > maxImportedBytes {
		return field.ErrorList{field.TooLong(importedPath, "", maxImportedBytes)}
	}
	from, err := v1beta1.ReadNewImportedFrom(annotations)
	switch {
	case err != nil:
		return field.ErrorList{field.Invalid(importedPath, field.OmitValueType{}, err.Error())}
	case from == nil:
		return nil
	}
	allErrs := validateImportedObject(from)
	allErrs = append(allErrs, validateImportedNode(from)...)
	return append(allErrs, validateImportedDrain(from)...)
}

func validateImportedObject(from *v1beta1.ImportedFrom) field.ErrorList {
	var allErrs field.ErrorList
	for _, required := range []struct{ name, value string }{
		{"apiVersion", from.APIVersion}, {"name", from.Name}, {"uid", string(from.UID)},
	} {
		if required.value == "" {
			allErrs = append(allErrs, field.Required(importedPath.Child(required.name), "must tell which object was imported"))
		}
	}
	if from.CreationTime.IsZero() {
		return append(allErrs, field.Required(importedPath.Child("creationTime"), "must be when the imported object was created"))
	}
	return append(allErrs, validateTime(&from.CreationTime, importedPath.Child("creationTime"))...)
}

func validateImportedNode(from *v1beta1.ImportedFrom) field.ErrorList {
	if (from.NodeUID == "") != (from.NodeBefore == nil) {
		return field.ErrorList{field.Invalid(importedPath.Child("nodeUID"), from.NodeUID,
			"must be set if, and only if, nodeBefore is set")}
	}
	if from.NodeBefore == nil {
		return nil
	}
	return validateImportedTaints(from.NodeBefore.AddedTaints)
}

// validateImportedTaints lets an import name only taints of the operators, since the server takes them off
// the node in the end.
func validateImportedTaints(taints []string) field.ErrorList {
	var allErrs field.ErrorList
	path := importedPath.Child("nodeBefore", "addedTaints")
	for i, taint := range taints {
		if !slices.Contains(operatorTaints, taint) {
			allErrs = append(allErrs, field.NotSupported(path.Index(i), taint[:min(len(taint), maxQuotedBytes)], operatorTaints))
		}
	}
	return allErrs
}

func validateImportedDrain(from *v1beta1.ImportedFrom) field.ErrorList {
	allErrs := validateTime(from.StartTime, importedPath.Child("startTime"))
	allErrs = append(allErrs, validateTime(from.DrainedTime, importedPath.Child("drainedTime"))...)
	begun := from.NodeBefore != nil && from.StartTime != nil && !from.StartTime.Before(&from.CreationTime)
	if from.StartTime != nil && !begun {
		allErrs = append(allErrs, field.Invalid(importedPath.Child("startTime"), from.StartTime,
			"must not be before creationTime, and needs nodeBefore"))
	}
	if from.DrainedTime != nil && (!begun || from.DrainedTime.Before(from.StartTime)) {
		allErrs = append(allErrs, field.Invalid(importedPath.Child("drainedTime"), from.DrainedTime,
			"must not be before startTime"))
	}
	if from.DrainProgress < 0 || from.DrainProgress > 100 {
		allErrs = append(allErrs, field.Invalid(importedPath.Child("drainProgress"), from.DrainProgress,
			validation.InclusiveRangeError(0, 100)))
	}
	return append(allErrs, validateImportedCounts(from)...)
}

func validateImportedCounts(from *v1beta1.ImportedFrom) field.ErrorList {
	var allErrs field.ErrorList
	for _, count := range []struct {
		name  string
		value int32
	}{
		{"totalPods", from.TotalPods}, {"evictionPods", from.EvictionPods}, {"pendingPodCount", from.PendingPodCount},
	} {
		if count.value < 0 {
			allErrs = append(allErrs, field.Invalid(importedPath.Child(count.name), count.value, "must not be negative"))
		}
	}
	return allErrs
}

// validateImportedUpdate refuses a change of the annotation: what was imported does not change.
func validateImportedUpdate(newNM, oldNM *v1beta1.NodeMaintenance) field.ErrorList {
	newValue, set := newNM.Annotations[v1beta1.ImportedAnnotation]
	oldValue, was := oldNM.Annotations[v1beta1.ImportedAnnotation]
	if set == was && newValue == oldValue {
		return nil
	}
	return field.ErrorList{field.Forbidden(importedPath, "can be set only on a new object, and not be changed; "+
		"maintenance-apiserver import sets it")}
}
