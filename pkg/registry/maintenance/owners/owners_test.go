// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	ownVersion = "maintenance.medik8s.io/v1beta1"
	oldVersion = "nodemaintenance.medik8s.io/v1beta1"
)

func entry(manager, version, subresource string, seconds int64, fields string) metav1.ManagedFieldsEntry {
	at := metav1.NewTime(time.Unix(seconds, 0))
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: version, Subresource: subresource,
		Time: &at, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
	}
}

func applied(entry metav1.ManagedFieldsEntry) metav1.ManagedFieldsEntry {
	entry.Operation = metav1.ManagedFieldsOperationApply
	return entry
}

func TestOwnersAreStoredInOurTerms(t *testing.T) {
	for name, test := range map[string]struct {
		entries, stored, want []metav1.ManagedFieldsEntry
	}{
		"none": {},
		"ours": {
			entries: []metav1.ManagedFieldsEntry{entry("x", ownVersion, "", 1, `{"f:spec":{"f:stage":{}}}`)},
			want:    []metav1.ManagedFieldsEntry{entry("x", ownVersion, "", 1, `{"f:spec":{"f:stage":{}}}`)},
		},
		"of a spec": {
			entries: []metav1.ManagedFieldsEntry{entry("x", oldVersion, "", 1, `{"f:spec":{".":{},"f:nodeName":{},"f:reason":{}}}`)},
			want:    []metav1.ManagedFieldsEntry{entry("x", ownVersion, "", 1, `{"f:spec":{".":{},"f:nodeName":{},"f:reason":{}}}`)},
		},
		"of a status": {
			entries: []metav1.ManagedFieldsEntry{entry("x", oldVersion, "status", 1,
				`{"f:status":{"f:errorOnLeaseCount":{},"f:pendingPods":{},"f:pendingPodsRefs":{},"f:phase":{},"f:totalpods":{}}}`)},
			want: []metav1.ManagedFieldsEntry{entry("x", ownVersion, "status", 1,
				`{"f:status":{"f:leaseErrorCount":{},"f:pendingPods":{},"f:phase":{},"f:totalPods":{}}}`)},
		},
		"of the finalizer": {
			entries: []metav1.ManagedFieldsEntry{entry("x", oldVersion, "", 1,
				`{"f:metadata":{"f:finalizers":{".":{},"v:\"foregroundDeleteNodeMaintenance\"":{},"v:\"a.b/c\"":{}},"f:labels":{"f:totalpods":{}}}}`)},
			want: []metav1.ManagedFieldsEntry{entry("x", ownVersion, "", 1,
				`{"f:metadata":{"f:finalizers":{".":{},"v:\"a.b/c\"":{},"v:\"maintenance.medik8s.io/uncordon\"":{}},"f:labels":{"f:totalpods":{}}}}`)},
		},
		"one manager in both": {
			entries: []metav1.ManagedFieldsEntry{
				entry("x", ownVersion, "", 2, `{"f:spec":{"f:stage":{}}}`),
				entry("y", ownVersion, "", 1, `{"f:spec":{"f:stage":{}}}`),
				entry("x", oldVersion, "", 1, `{"f:spec":{"f:reason":{}}}`),
				entry("x", oldVersion, "status", 3, `{"f:status":{"f:phase":{}}}`),
			},
			want: []metav1.ManagedFieldsEntry{
				entry("x", ownVersion, "", 2, `{"f:spec":{"f:reason":{},"f:stage":{}}}`),
				entry("y", ownVersion, "", 1, `{"f:spec":{"f:stage":{}}}`),
				entry("x", ownVersion, "status", 3, `{"f:status":{"f:phase":{}}}`),
			},
		},
		"of each former group": {
			entries: []metav1.ManagedFieldsEntry{
				entry("x", oldVersion, "", 1, `{"f:spec":{"f:reason":{}}}`),
				entry("x", "nodemaintenance.kubevirt.io/v1beta1", "", 2, `{"f:spec":{"f:nodeName":{}}}`),
				entry("y", "kubevirt.io/v1alpha1", "status", 3, `{"f:status":{"f:totalpods":{}}}`),
			},
			want: []metav1.ManagedFieldsEntry{
				entry("x", ownVersion, "", 2, `{"f:spec":{"f:nodeName":{},"f:reason":{}}}`),
				entry("y", ownVersion, "status", 3, `{"f:status":{"f:totalPods":{}}}`),
			},
		},
		"applied, after more was applied in ours": {
			entries: []metav1.ManagedFieldsEntry{applied(entry("x", oldVersion, "", 2, `{"f:spec":{"f:nodeName":{}}}`))},
			stored: []metav1.ManagedFieldsEntry{
				entry("x", ownVersion, "", 1, `{"f:spec":{"f:expirationSeconds":{}}}`),
				applied(entry("x", ownVersion, "", 1, `{"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:drain":{"f:onTimeout":{}},"f:nodeName":{},"f:reason":{}}}`)),
				applied(entry("y", ownVersion, "", 1, `{"f:spec":{"f:stage":{}}}`)),
			},
			want: []metav1.ManagedFieldsEntry{applied(entry("x", ownVersion, "", 2, `{"f:spec":{"f:drain":{"f:onTimeout":{}},"f:nodeName":{}}}`))},
		},
		"applied to the status": {
			entries: []metav1.ManagedFieldsEntry{applied(entry("x", oldVersion, "status", 2, `{"f:status":{"f:totalpods":{}}}`))},
			stored: []metav1.ManagedFieldsEntry{
				applied(entry("x", ownVersion, "status", 1, `{"f:status":{"f:nodeUID":{},"f:phase":{},"f:totalPods":{}}}`)),
			},
			want: []metav1.ManagedFieldsEntry{applied(entry("x", ownVersion, "status", 2, `{"f:status":{"f:nodeUID":{},"f:totalPods":{}}}`))},
		},
		"unreadable": {
			entries: []metav1.ManagedFieldsEntry{entry("x", oldVersion, "", 1, `{"f:`)},
			want:    []metav1.ManagedFieldsEntry{entry("x", ownVersion, "", 1, `{}`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, InOurTerms(test.entries, test.stored)); diff != "" {
				t.Errorf("owners differ (-want +got):\n%s", diff)
			}
		})
	}
}
