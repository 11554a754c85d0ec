// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// A request can be larger than the 2 MiB that the store accepts in one message. If the
// store refused it, the client would get an internal server error. The limits are lower
// than that, so that the status and what the server adds fit in too, and every object can
// still be updated and deleted.
const (
	maxMetadataBytes = 64 << 10
	maxSelectorBytes = 16 << 10 // of the drain's selector, and of all its rules
	// maxManagedFieldsBytes is enough for several managers of the largest metadata.
	maxManagedFieldsBytes = 512 << 10
)

// ValidateSize limits the parts that have no other limit: labels, annotations, finalizers,
// owners, selectors, rules and managed fields. It refuses only parts that have become
// larger, so that an object that is too large already can still be changed and made
// smaller. For a create, oldNM is an empty object.
func ValidateSize(newNM, oldNM *maintenance.NodeMaintenance) field.ErrorList {
	newDrain, oldDrain, drainPath := &newNM.Spec.Drain, &oldNM.Spec.Drain, field.NewPath("spec", "drain")
	allErrs := validateBytes(ownMetadata(newNM), ownMetadata(oldNM), maxMetadataBytes, field.NewPath("metadata"))
	allErrs = append(allErrs, validateBytes(newDrain.PodSelector, oldDrain.PodSelector, maxSelectorBytes, drainPath.Child("podSelector"))...)
	allErrs = append(allErrs, validateBytes(newNM.ManagedFields, oldNM.ManagedFields, maxManagedFieldsBytes, field.NewPath("metadata", "managedFields"))...)
	return append(allErrs, validateBytes(newDrain.Rules, oldDrain.Rules, maxSelectorBytes, drainPath.Child("rules"))...)
}

// ownMetadata is the metadata without managedFields. The server writes these, and they grow with
// each manager, whatever the current request writes.
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

// jsonSize is about the size of a part of an object in the store, in bytes.
func jsonSize(part any) (int, error) {
	encoded, err := json.Marshal(part)
	return len(encoded), err
}
