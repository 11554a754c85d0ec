// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/legacy/medik8sv1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
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

func TestOwnersAreStoredInOurTerms(t *testing.T) {
	for name, test := range map[string]struct {
		entries, want []metav1.ManagedFieldsEntry
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
	} {
		t.Run(name, func(t *testing.T) {
			hold := &maintenance.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{ManagedFields: test.entries}}
			g := &group{GroupVersion: medik8sv1beta1.SchemeGroupVersion}
			if err := g.ownFields(hold); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, hold.ManagedFields); diff != "" {
				t.Errorf("owners differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnreadableOwnersAreRefused(t *testing.T) {
	hold := &maintenance.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{
		ManagedFields: []metav1.ManagedFieldsEntry{entry("x", oldVersion, "", 1, `{"f:`)},
	}}
	if err := (&group{GroupVersion: medik8sv1beta1.SchemeGroupVersion}).ownFields(hold); err == nil {
		t.Error("fields that cannot be read were accepted")
	}
}
