// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Whatever is written stays in memory for a while: in the store's log, and in the watch cache. So a
// NodeMaintenance is far smaller than the 2 MiB that the store accepts in one message, and one user
// with a few of them cannot make the server too large.
const (
	// maxMetadataBytes has room for what kubectl apply adds: an annotation with the whole object.
	maxMetadataBytes = 32 << 10
	maxSelectorBytes = 16 << 10 // of the drain's selector, and of all its rules
	// maxManagedFieldsBytes has room for a dozen managers: one that sets every field of the spec and
	// some labels takes about 1 KiB.
	maxManagedFieldsBytes = 32 << 10
	// maxObjectBytes is less than the parts may have together, and without the status, which only the
	// server writes. It has room for the largest rules, applied by kubectl.
	maxObjectBytes = 64 << 10
)

// ValidateSize limits the parts that have no other limit: labels, annotations, finalizers,
// owners, selectors, rules and managed fields; and all of them together with the texts of the spec. It never refuses an update
// that makes an object no larger, so that one that is too large already can still be changed and made
// smaller. For a create, oldNM is an empty object. Callers leave out writes of the server itself, which
// must be able to end every object.
func ValidateSize(newNM, oldNM *v1beta1.NodeMaintenance) field.ErrorList {
	newParts, oldParts := withoutStatus(newNM), withoutStatus(oldNM)
	if !larger(newParts, oldParts) {
		return nil
	}
	newDrain, oldDrain := &newNM.Spec.Drain, &oldNM.Spec.Drain
	metadataPath, drainPath := field.NewPath("metadata"), field.NewPath("spec", "drain")
	allErrs := validateBytes(ownMetadata(newNM), ownMetadata(oldNM), maxMetadataBytes, metadataPath)
	allErrs = append(allErrs, validateBytes(newDrain.PodSelector, oldDrain.PodSelector, maxSelectorBytes, drainPath.Child("podSelector"))...)
	allErrs = append(allErrs, validateBytes(newNM.ManagedFields, oldNM.ManagedFields, maxManagedFieldsBytes, metadataPath.Child("managedFields"))...)
	allErrs = append(allErrs, validateBytes(newDrain.Rules, oldDrain.Rules, maxSelectorBytes, drainPath.Child("rules"))...)
	if len(allErrs) > 0 {
		return allErrs
	}
	return validateWhole(newNM, oldNM)
}

// validateWhole limits all parts together. If one text of the spec alone is too long, the error names
// that: it says what to make shorter.
func validateWhole(newNM, oldNM *v1beta1.NodeMaintenance) field.ErrorList {
	objectErrs := validateBytes(withoutStatus(newNM), withoutStatus(oldNM), maxObjectBytes, field.NewPath("object"))
	if len(objectErrs) == 0 {
		return nil
	}
	if errs := validateLengths(&newNM.Spec, field.NewPath("spec")); len(errs) > 0 {
		return errs
	}
	return objectErrs
}

// withoutStatus is what users write of an object.
func withoutStatus(nm *v1beta1.NodeMaintenance) v1beta1.NodeMaintenance {
	return v1beta1.NodeMaintenance{ObjectMeta: nm.ObjectMeta, Spec: nm.Spec}
}

// ownMetadata is the metadata without managedFields. The server writes these, and they grow with
// each manager, whatever the current request writes.
func ownMetadata(nm *v1beta1.NodeMaintenance) metav1.ObjectMeta {
	own := nm.ObjectMeta
	own.ManagedFields = nil
	return own
}

// validateBytes refuses a part that has become larger and is larger than the limit.
func validateBytes(newPart, oldPart any, limit int, path *field.Path) field.ErrorList {
	newSize, err := jsonSize(newPart)
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	if newSize <= limit || !larger(newPart, oldPart) {
		return nil
	}
	return field.ErrorList{field.TooLong(path, "", limit)}
}

// larger says whether the new part is larger than the old one, and so it does if it cannot tell.
func larger(newPart, oldPart any) bool {
	newSize, newErr := jsonSize(newPart)
	oldSize, oldErr := jsonSize(oldPart)
	return newErr != nil || oldErr != nil || newSize > oldSize
}

// jsonSize is about the size of a part of an object in the store, in bytes.
func jsonSize(part any) (int, error) {
	encoded, err := json.Marshal(part)
	return len(encoded), err
}
