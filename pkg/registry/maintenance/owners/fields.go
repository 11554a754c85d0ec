// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"bytes"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	legacyapi "github.com/medik8s/maintenance-apiserver/pkg/apis/legacy"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// newNames are the fields of the status that have another name in maintenance.medik8s.io.
var newNames = map[string]string{
	"totalpods":         "totalPods",
	"pendingPodsRefs":   "pendingPods",
	"errorOnLeaseCount": "leaseErrorCount",
}

// shared are the fields, by their names in maintenance.medik8s.io, that a former version has too.
var shared = map[string][]string{
	"spec": {"nodeName", "reason"},
	"status": {
		"phase", "drainProgress", "lastUpdate", "lastError", "pendingPods", "pendingPodCount", "totalPods", "evictionPods", "leaseErrorCount",
	},
}

// ours are the fields of a former version under the names of maintenance.medik8s.io.
func ours(former *fieldpath.Set) *fieldpath.Set {
	fields := fieldpath.NewSet()
	former.Iterate(func(path fieldpath.Path) { fields.Insert(ourPath(path)) })
	return fields
}

func ourPath(path fieldpath.Path) fieldpath.Path {
	path = path.Copy()
	if len(path) < 2 || path[0].FieldName == nil {
		return path
	}
	second := &path[1]
	switch {
	case *path[0].FieldName == "status" && second.FieldName != nil:
		if name, renamed := newNames[*second.FieldName]; renamed {
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

// onlyOurs says whether no former version has the field.
func onlyOurs(path fieldpath.Path) bool {
	if len(path) < 2 || path[0].FieldName == nil || path[1].FieldName == nil {
		return false
	}
	known, has := shared[*path[0].FieldName]
	return has && !slices.Contains(known, *path[1].FieldName)
}

// fieldsOf are the fields of an entry; none if it cannot be read. The library ignores such an entry, too.
func fieldsOf(entry metav1.ManagedFieldsEntry) *fieldpath.Set {
	fields := fieldpath.NewSet()
	if entry.FieldsV1 == nil || fields.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())) != nil {
		return fieldpath.NewSet()
	}
	return fields
}

func withFields(entry metav1.ManagedFieldsEntry, fields *fieldpath.Set) metav1.ManagedFieldsEntry {
	encoded, _ := fields.ToJSON() // what could be read can be written
	entry.FieldsV1 = metav1.NewFieldsV1(string(encoded))
	return entry
}
