// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"bytes"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	legacyapi "github.com/medik8s/maintenance-apiserver/pkg/apis/legacy"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fieldNames are the fields of the status that have another name in maintenance.medik8s.io.
var fieldNames = map[string]string{
	"totalpods":         "totalPods",
	"pendingPodsRefs":   "pendingPods",
	"errorOnLeaseCount": "leaseErrorCount",
}

// ownFields writes who owns which fields in the terms of maintenance.medik8s.io. The library converts an
// object to the version of each owner, and back. In a former version it would lose what that version
// lacks. So no owner is stored with such a version.
func (g *group) ownFields(obj runtime.Object) error {
	hold, ok := obj.(*maintenance.NodeMaintenance)
	if !ok {
		return fmt.Errorf("could not write a NodeMaintenance: got %T", obj)
	}
	var entries []metav1.ManagedFieldsEntry
	for _, entry := range hold.ManagedFields {
		if entry.APIVersion == g.String() {
			var err error
			if entry, err = translated(entry); err != nil {
				return err
			}
		}
		var err error
		if entries, err = with(entries, entry); err != nil {
			return err
		}
	}
	hold.ManagedFields = entries
	return nil
}

func translated(entry metav1.ManagedFieldsEntry) (metav1.ManagedFieldsEntry, error) {
	entry.APIVersion = v1beta1.SchemeGroupVersion.String()
	owned, err := fieldsOf(entry)
	if err != nil {
		return entry, err
	}
	fields := fieldpath.NewSet()
	owned.Iterate(func(path fieldpath.Path) { fields.Insert(translatedPath(path)) })
	return withFields(entry, fields)
}

func translatedPath(path fieldpath.Path) fieldpath.Path {
	path = path.Copy()
	if len(path) < 2 || path[0].FieldName == nil {
		return path
	}
	second := &path[1]
	switch {
	case *path[0].FieldName == "status" && second.FieldName != nil:
		if name, renamed := fieldNames[*second.FieldName]; renamed {
			second.FieldName = &name
		}
	case len(path) == 3 && path[0].String()+second.String() == ".metadata.finalizers" && isFinalizer(path[2]):
		uncordon := value.NewValueInterface(v1beta1.UncordonFinalizer)
		path[2].Value = &uncordon
	}
	return path
}

func isFinalizer(element fieldpath.PathElement) bool {
	return element.Value != nil && (*element.Value).IsString() && (*element.Value).AsString() == legacyapi.Finalizer
}

// with adds an entry. One owner has one entry for each operation and subresource.
func with(entries []metav1.ManagedFieldsEntry, entry metav1.ManagedFieldsEntry) ([]metav1.ManagedFieldsEntry, error) {
	same := slices.IndexFunc(entries, func(other metav1.ManagedFieldsEntry) bool {
		return other.Manager == entry.Manager && other.Operation == entry.Operation &&
			other.APIVersion == entry.APIVersion && other.Subresource == entry.Subresource
	})
	if same < 0 {
		return append(entries, entry), nil
	}
	first, err := fieldsOf(entries[same])
	if err != nil {
		return nil, err
	}
	second, err := fieldsOf(entry)
	if err != nil {
		return nil, err
	}
	if entry.Time.Before(entries[same].Time) {
		entry.Time = entries[same].Time
	}
	entries[same], err = withFields(entry, first.Union(second))
	return entries, err
}

func fieldsOf(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	fields := fieldpath.NewSet()
	if entry.FieldsV1 == nil {
		return fields, nil
	}
	if err := fields.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())); err != nil {
		return nil, fmt.Errorf("could not read the fields that %q manages: %w", entry.Manager, err)
	}
	return fields, nil
}

func withFields(entry metav1.ManagedFieldsEntry, fields *fieldpath.Set) (metav1.ManagedFieldsEntry, error) {
	encoded, err := fields.ToJSON()
	if err != nil {
		return entry, fmt.Errorf("could not write the fields that %q manages: %w", entry.Manager, err)
	}
	entry.FieldsV1 = metav1.NewFieldsV1(string(encoded))
	return entry, nil
}
