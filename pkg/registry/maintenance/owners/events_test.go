// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const managedVersion = "machinemaintenance.managed.openshift.io/v1alpha1"

const (
	allOfEvent = `{"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:code":{},"f:eventID":{},"f:instanceID":{},` +
		`"f:machineRef":{"f:apiGroup":{},"f:name":{},"f:namespace":{}},"f:state":{}}}`
	allOfMachineMaintenance = `{"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:eventcode":{},"f:eventid":{},"f:machineid":{},"f:machinelink":{},"f:maintenancescheduled":{}}}`
)

func TestOwnersOfMachineMaintenances(t *testing.T) {
	for name, test := range map[string]struct{ stored, want []metav1.ManagedFieldsEntry }{
		"none": {},
		"all": {
			stored: []metav1.ManagedFieldsEntry{entry("x", ownVersion, "", 1, allOfEvent)},
			want:   []metav1.ManagedFieldsEntry{entry("x", managedVersion, "", 1, allOfMachineMaintenance)},
		},
		"what it cannot say": {
			stored: []metav1.ManagedFieldsEntry{
				entry("x", ownVersion, "", 1, `{"f:spec":{"f:code":{},"f:notBefore":{}}}`),
				entry("y", ownVersion, "", 1, `{"f:spec":{"f:description":{}}}`),
				entry("z", ownVersion, "status", 1, `{"f:status":{"f:phase":{}}}`),
				entry("z", "v1", "", 1, `{"f:spec":{"f:code":{}}}`),
			},
			want: []metav1.ManagedFieldsEntry{entry("x", managedVersion, "", 1, `{"f:spec":{"f:eventcode":{}}}`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, OfMachineMaintenance(test.stored)); diff != "" {
				t.Errorf("owners differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOwnersOfScheduledEvents(t *testing.T) {
	for name, test := range map[string]struct{ written, stored, want []metav1.ManagedFieldsEntry }{
		"none": {},
		"a create": {
			written: []metav1.ManagedFieldsEntry{entry("x", managedVersion, "", 1, allOfMachineMaintenance)},
			want:    []metav1.ManagedFieldsEntry{entry("x", ownVersion, "", 1, allOfEvent)},
		},
		"what it cannot say stays": {
			written: []metav1.ManagedFieldsEntry{entry("x", managedVersion, "", 2, `{"f:spec":{"f:maintenancescheduled":{}}}`)},
			stored: []metav1.ManagedFieldsEntry{
				entry("x", ownVersion, "", 1, `{"f:spec":{"f:code":{},"f:notBefore":{}}}`),
				entry("y", ownVersion, "", 1, `{"f:spec":{"f:eventID":{}}}`),
				entry("z", ownVersion, "status", 1, `{"f:status":{"f:phase":{}}}`),
			},
			want: []metav1.ManagedFieldsEntry{
				entry("x", ownVersion, "", 2, `{"f:spec":{"f:notBefore":{},"f:state":{}}}`),
				entry("z", ownVersion, "status", 1, `{"f:status":{"f:phase":{}}}`),
			},
		},
		"another version": {written: []metav1.ManagedFieldsEntry{entry("x", "v1", "", 1, `{"f:spec":{"f:eventcode":{}}}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, OfScheduledEvent(test.written, test.stored)); diff != "" {
				t.Errorf("owners differ (-want +got):\n%s", diff)
			}
		})
	}
}
