// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func validatePatchNode(patch *v1beta1.PatchNodeTrigger, path *field.Path) field.ErrorList {
	if len(patch.Labels)+len(patch.Annotations)+len(patch.RemoveLabels)+len(patch.RemoveAnnotations)+len(patch.AddFinalizers)+
		len(patch.RemoveFinalizers) == 0 {
		return field.ErrorList{field.Required(path, "must change something: labels, annotations, removeLabels, removeAnnotations, addFinalizers or removeFinalizers")}
	}
	allErrs := validatePatchedMap(patch.Labels, path.Child("labels"), metav1validation.ValidateLabels)
	allErrs = append(allErrs, validatePatchedMap(patch.Annotations, path.Child("annotations"), apivalidation.ValidateAnnotations)...)
	allErrs = append(allErrs, validatePatchedKeys(patch.RemoveLabels, path.Child("removeLabels"), validateLabelKey)...)
	allErrs = append(allErrs, validatePatchedKeys(patch.RemoveAnnotations, path.Child("removeAnnotations"), validateAnnotationKey)...)
	allErrs = append(allErrs, validatePatchedKeys(patch.AddFinalizers, path.Child("addFinalizers"), validateFinalizer)...)
	allErrs = append(allErrs, validatePatchedKeys(patch.RemoveFinalizers, path.Child("removeFinalizers"), validateFinalizer)...)
	allErrs = append(allErrs, validateNotBoth(slices.Collect(maps.Keys(patch.Labels)), patch.RemoveLabels, "labels", path.Child("removeLabels"))...)
	allErrs = append(allErrs, validateNotBoth(slices.Collect(maps.Keys(patch.Annotations)), patch.RemoveAnnotations, "annotations", path.Child("removeAnnotations"))...)
	return append(allErrs, validateNotBoth(patch.AddFinalizers, patch.RemoveFinalizers, "addFinalizers", path.Child("removeFinalizers"))...)
}

func validatePatchedMap(set map[string]string, path *field.Path, validate func(map[string]string, *field.Path) field.ErrorList) field.ErrorList {
	if len(set) > v1beta1.MaxPatchKeys {
		return field.ErrorList{field.TooMany(path, len(set), v1beta1.MaxPatchKeys)}
	}
	allErrs := validate(set, path)
	for _, key := range slices.Sorted(maps.Keys(set)) {
		allErrs = append(allErrs, validateNotOwn(key, path.Key(quoted(key)))...)
	}
	return allErrs
}

func validatePatchedKeys(keys []string, path *field.Path, validate func(string, *field.Path) field.ErrorList) field.ErrorList {
	if len(keys) > v1beta1.MaxPatchKeys {
		return field.ErrorList{field.TooMany(path, len(keys), v1beta1.MaxPatchKeys)}
	}
	return validateSet(keys, path, func(key string, path *field.Path) field.ErrorList {
		return append(validate(key, path), validateNotOwn(key, path)...)
	})
}

// validateFinalizer checks a finalizer as kube-apiserver does for nodes.
func validateFinalizer(name string, path *field.Path) field.ErrorList {
	if !strings.Contains(name, "/") {
		return field.ErrorList{field.Invalid(path, quoted(name), "must have a domain, such as example.com/disk-in-use")}
	}
	return apivalidation.ValidateFinalizerName(name, path)
}

func validateNotOwn(key string, path *field.Path) field.ErrorList {
	if !v1beta1.IsOwnMark(key) {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, "is a mark of the server itself, which only it changes")}
}

// validateNotBoth refuses a key that is both set and removed.
func validateNotBoth(set, removed []string, list string, path *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	for i, key := range removed {
		if slices.Contains(set, key) {
			allErrs = append(allErrs, field.Invalid(path.Index(i), quoted(key), fmt.Sprintf("must not be in %s, too", list)))
		}
	}
	return allErrs
}
