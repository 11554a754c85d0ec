// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package owners writes who owns which fields of a NodeMaintenance in the terms of maintenance.medik8s.io,
// whichever group it was written through.
package owners

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	legacyinstall "github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/install"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var formerVersions = legacyinstall.GroupVersions()

// InOurTerms translates the entries of former versions. Whatever is stored must have been translated: a
// server-side apply converts an object to the version of each owner, and back, and would lose what a former
// version lacks. stored are the owners of the object before an update; nil for a create.
func InOurTerms(entries, stored []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	if !slices.ContainsFunc(entries, isFormer) {
		return entries
	}
	var translated []metav1.ManagedFieldsEntry
	for _, entry := range entries {
		if isFormer(entry) {
			fields := fieldsOf(entry)
			entry.APIVersion = v1beta1.SchemeGroupVersion.String()
			entry = withFields(entry, ours(fields).Union(unsaid(entry, stored)))
		}
		translated = with(translated, entry)
	}
	return translated
}

func isFormer(entry metav1.ManagedFieldsEntry) bool {
	return slices.ContainsFunc(formerVersions, func(version schema.GroupVersion) bool { return version.String() == entry.APIVersion })
}

// unsaid are the stored fields of an applied entry that former versions lack. Whoever applies in a former
// version cannot name them, and goes on to own them.
func unsaid(entry metav1.ManagedFieldsEntry, stored []metav1.ManagedFieldsEntry) *fieldpath.Set {
	fields := fieldpath.NewSet()
	before := indexOf(stored, entry)
	if entry.Operation != metav1.ManagedFieldsOperationApply || before < 0 {
		return fields
	}
	fieldsOf(stored[before]).Iterate(func(path fieldpath.Path) {
		if onlyOurs(path) {
			fields.Insert(path.Copy())
		}
	})
	return fields
}

// with adds an entry. One owner has one entry for each operation and subresource.
func with(entries []metav1.ManagedFieldsEntry, entry metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	same := indexOf(entries, entry)
	if same < 0 {
		return append(entries, entry)
	}
	if entry.Time.Before(entries[same].Time) {
		entry.Time = entries[same].Time
	}
	entries[same] = withFields(entry, fieldsOf(entries[same]).Union(fieldsOf(entry)))
	return entries
}

// indexOf finds the entry of the same owner; -1 when there is none.
func indexOf(entries []metav1.ManagedFieldsEntry, entry metav1.ManagedFieldsEntry) int {
	return slices.IndexFunc(entries, func(other metav1.ManagedFieldsEntry) bool {
		return other.Manager == entry.Manager && other.Operation == entry.Operation &&
			other.APIVersion == entry.APIVersion && other.Subresource == entry.Subresource
	})
}
