// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// A request may be larger than what the store takes in one message, 2 MiB, and
// the store's refusal would be an error of the server's. The bounds leave room
// for the status and for what the server adds, so that whatever was accepted can
// be updated and deleted too.
const (
	maxMetadataBytes = 64 << 10
	maxSelectorBytes = 16 << 10 // of the drain's selector, and of all its rules
	// maxManagedFieldsBytes has room for some managers of the largest metadata.
	maxManagedFieldsBytes = 512 << 10
)

// ValidateSize bounds what has no bound of its own: the number of labels,
// finalizers and owners, of the terms of selectors, and of those who apply. It
// refuses only what has become larger: an object that is too large already can
// still be changed, and made smaller. The old object of a new one is empty.
func ValidateSize(newNM, oldNM *maintenance.NodeMaintenance) field.ErrorList {
	newDrain, oldDrain, drainPath := &newNM.Spec.Drain, &oldNM.Spec.Drain, field.NewPath("spec", "drain")
	allErrs := validateBytes(ownMetadata(newNM), ownMetadata(oldNM), maxMetadataBytes, field.NewPath("metadata"))
	allErrs = append(allErrs, validateBytes(newDrain.PodSelector, oldDrain.PodSelector, maxSelectorBytes, drainPath.Child("podSelector"))...)
	allErrs = append(allErrs, validateBytes(newNM.ManagedFields, oldNM.ManagedFields, maxManagedFieldsBytes, field.NewPath("metadata", "managedFields"))...)
	return append(allErrs, validateBytes(newDrain.Rules, oldDrain.Rules, maxSelectorBytes, drainPath.Child("rules"))...)
}

// ownMetadata leaves out who manages which field: that is the server's account, which grows
// with each further manager whatever this one writes.
func ownMetadata(nm *maintenance.NodeMaintenance) metav1.ObjectMeta {
	own := nm.ObjectMeta
	own.ManagedFields = nil
	return own
}

func validateBytes(newPart, oldPart any, limit int, path *field.Path) field.ErrorList {
	newSize, err := jsonSize(newPart)
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	if newSize <= limit {
		return nil
	}
	if oldSize, err := jsonSize(oldPart); err == nil && newSize <= oldSize {
		return nil
	}
	return field.ErrorList{field.TooLong(path, "", limit)}
}

// jsonSize is about what a part of an object takes in the store.
func jsonSize(part any) (int, error) {
	encoded, err := json.Marshal(part)
	return len(encoded), err
}
