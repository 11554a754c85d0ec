// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/managedv1alpha1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// eventFields are the fields of the spec of a ScheduledEvent that a MachineMaintenance has, by their names there.
var eventFields = map[string]fieldpath.Path{
	"maintenancescheduled": fieldpath.MakePathOrDie("spec", "state"),
	"eventcode":            fieldpath.MakePathOrDie("spec", "code"),
	"eventid":              fieldpath.MakePathOrDie("spec", "eventID"),
	"machineid":            fieldpath.MakePathOrDie("spec", "instanceID"),
	"machinelink":          fieldpath.MakePathOrDie("spec", "machineRef", "name"),
}

// OfMachineMaintenance are the owners of a ScheduledEvent in the terms of its MachineMaintenance, without those who own
// nothing of it.
func OfMachineMaintenance(stored []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	var shown []metav1.ManagedFieldsEntry
	for _, entry := range stored {
		if entry.APIVersion != v1beta1.SchemeGroupVersion.String() || entry.Subresource != "" {
			continue
		}
		fields, _ := split(fieldsOf(entry))
		if !fields.Empty() {
			entry.APIVersion = managedv1alpha1.SchemeGroupVersion.String()
			shown = append(shown, withFields(entry, fields))
		}
	}
	return shown
}

// OfScheduledEvent are the owners of a MachineMaintenance in the terms of its ScheduledEvent. stored are those of the event
// before an update; nil for a create. What a MachineMaintenance cannot say stays with its owners.
func OfScheduledEvent(written, stored []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	var owners []metav1.ManagedFieldsEntry
	for _, entry := range stored {
		if entry.APIVersion == v1beta1.SchemeGroupVersion.String() && entry.Subresource == "" {
			_, others := split(fieldsOf(entry))
			if others.Empty() {
				continue
			}
			entry = withFields(entry, others)
		}
		owners = append(owners, entry)
	}
	for _, entry := range written {
		if entry.APIVersion == managedv1alpha1.SchemeGroupVersion.String() {
			fields := fieldsOf(entry)
			entry.APIVersion = v1beta1.SchemeGroupVersion.String()
			owners = with(owners, withFields(entry, inEvent(fields)))
		}
	}
	return owners
}

// split returns the fields of a ScheduledEvent that a MachineMaintenance has, in its terms, and the others as they are.
func split(ofEvent *fieldpath.Set) (shown, others *fieldpath.Set) {
	shown, others = fieldpath.NewSet(), fieldpath.NewSet()
	ofEvent.Iterate(func(path fieldpath.Path) {
		switch own := inMachineMaintenance(path); {
		case own != nil:
			shown.Insert(own)
		case !isMachineRef(path): // the rest of the reference follows from the name
			others.Insert(path.Copy())
		}
	})
	return shown, others
}

// inMachineMaintenance is the path of a field of a ScheduledEvent in its MachineMaintenance; nil if it has none.
func inMachineMaintenance(path fieldpath.Path) fieldpath.Path {
	if !startsWith(path, "spec") || len(path) < 2 {
		return path.Copy()
	}
	for name, other := range eventFields {
		if path.Equals(other) {
			return fieldpath.MakePathOrDie("spec", name)
		}
	}
	return nil
}

// inEvent are the fields of a MachineMaintenance in its ScheduledEvent.
func inEvent(fields *fieldpath.Set) *fieldpath.Set {
	translated := fieldpath.NewSet()
	fields.Iterate(func(path fieldpath.Path) {
		if !startsWith(path, "spec") || len(path) < 2 {
			translated.Insert(path.Copy())
			return
		}
		if other := eventFields[*path[1].FieldName]; other != nil {
			translated.Insert(other)
		}
		if startsWith(path[1:], "machinelink") {
			translated.Insert(fieldpath.MakePathOrDie("spec", "machineRef", "apiGroup"))
			translated.Insert(fieldpath.MakePathOrDie("spec", "machineRef", "namespace"))
		}
	})
	return translated
}

func isMachineRef(path fieldpath.Path) bool {
	return startsWith(path, "spec") && slices.ContainsFunc(path[1:2], func(element fieldpath.PathElement) bool {
		return element.FieldName != nil && *element.FieldName == "machineRef"
	})
}

func startsWith(path fieldpath.Path, name string) bool {
	return len(path) > 0 && path[0].FieldName != nil && *path[0].FieldName == name
}
