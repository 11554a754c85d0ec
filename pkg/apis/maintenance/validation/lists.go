// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateSet checks each item of a list, and that none is there twice.
func validateSet[T ~string](items []T, path *field.Path, validate func(T, *field.Path) field.ErrorList) field.ErrorList {
	var allErrs field.ErrorList
	seen := sets.New[T]()
	for i, item := range items {
		if seen.Has(item) {
			allErrs = append(allErrs, field.Duplicate(path.Index(i), quoted(string(item))))
			continue
		}
		seen.Insert(item)
		allErrs = append(allErrs, validate(item, path.Index(i))...)
	}
	return allErrs
}

// validateEach checks each item of a list that has no more than most of them.
func validateEach[T any](items []T, most int, path *field.Path, validate func(*T, *field.Path) field.ErrorList) field.ErrorList {
	if len(items) > most {
		return field.ErrorList{field.TooMany(path, len(items), most)}
	}
	var allErrs field.ErrorList
	for i := range items {
		allErrs = append(allErrs, validate(&items[i], path.Index(i))...)
	}
	return allErrs
}

// validateOptionalEnum is validateEnum for a value that need not be set.
func validateOptionalEnum[T ~string](value T, supported []T, path *field.Path) field.ErrorList {
	if value == "" {
		return nil
	}
	return validateEnum(value, supported, path)
}
