// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
)

// An object is read as the API server returns it.
func TestNewObject(t *testing.T) {
	o, err := newObject(medik8s, unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "nodemaintenance.medik8s.io/v1beta1", "kind": "NodeMaintenance",
		"metadata": map[string]any{
			"name": "m", "uid": "u", "creationTimestamp": "2026-01-02T03:00:00Z",
			"managedFields": []any{
				map[string]any{"manager": "manager", "fieldsV1": map[string]any{"f:metadata": map[string]any{"f:finalizers": map[string]any{}}}},
				map[string]any{"manager": "kubectl-create", "fieldsV1": map[string]any{"f:spec": map[string]any{"f:nodeName": map[string]any{}}}},
			},
		},
		"spec": map[string]any{"nodeName": "worker-1", "reason": "disk"},
		"status": map[string]any{
			"phase": "Running", "drainProgress": int64(-100), "totalpods": int64(7), "evictionPods": int64(2),
			"pendingPods": []any{"a"}, "lastUpdate": "2026-01-02T03:10:00Z", "lastError": "x", "errorOnLeaseCount": int64(1),
		},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := o.Status; s.DrainProgress != -100 || s.TotalPods != 7 || s.EvictionPods != 2 || !s.LastUpdate.Equal(ptr.To(metav1.NewTime(later))) {
		t.Errorf("status %+v", s)
	}
	if o.creator() != "kubectl-create" || o.String() != "nodemaintenances.nodemaintenance.medik8s.io/m" || o.Spec.NodeName != "worker-1" {
		t.Errorf("%s was created by %q for node %q", o, o.creator(), o.Spec.NodeName)
	}
}

// Whoever deletes a CRD deletes its objects, but does not ask for the nodes.
func TestObjectOfDeletedCRD(t *testing.T) {
	tests := map[string]struct {
		deleted, crdDeleted *metav1.Time
		wantEnding          bool
	}{
		"deleted":                    {deleted: ptr.To(metav1.NewTime(later)), wantEnding: true},
		"deleted before the CRD":     {deleted: ptr.To(metav1.NewTime(begin)), crdDeleted: ptr.To(metav1.NewTime(later)), wantEnding: true},
		"deleted since the CRD is":   {deleted: ptr.To(metav1.NewTime(later)), crdDeleted: ptr.To(metav1.NewTime(later))},
		"not deleted yet as the CRD": {crdDeleted: ptr.To(metav1.NewTime(later))},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stored := unstructured.Unstructured{Object: map[string]any{}}
			stored.SetDeletionTimestamp(test.deleted)
			o, err := newObject(medik8s, stored, test.crdDeleted)
			if wantDoomed := test.deleted != nil && !test.wantEnding; err != nil || o.ending() != test.wantEnding || o.doomed != wantDoomed {
				t.Errorf("ending %t, doomed %t, error %v; want ending %t", o.ending(), o.doomed, err, test.wantEnding)
			}
		})
	}
}

func TestReadLease(t *testing.T) {
	tests := map[string]struct {
		holder  string
		renewed time.Duration // before today
		want    nodeLease
	}{
		"of the operator":    {holder: "node-maintenance", want: nodeLease{state: "kept"}},
		"of another":         {holder: "node-healthcheck", want: nodeLease{state: "of node-healthcheck", other: "node-healthcheck"}},
		"expired":            {holder: "node-maintenance", renewed: time.Hour, want: nodeLease{state: "expired"}},
		"of another, before": {holder: "node-healthcheck", renewed: time.Hour, want: nodeLease{state: "expired"}},
		"released":           {want: nodeLease{state: "free"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			lease := coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{
				HolderIdentity: &test.holder, LeaseDurationSeconds: ptr.To[int32](3600), RenewTime: ptr.To(metav1.NewMicroTime(today.Add(-test.renewed))),
			}}
			if got := readLease(lease, today); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestLeads(t *testing.T) {
	tests := map[string]struct {
		holder  string
		renewed time.Duration // before today
		want    bool
	}{
		"renewed":  {holder: "a", renewed: 10 * time.Second, want: true},
		"expired":  {holder: "a", renewed: 15 * time.Second},
		"given up": {renewed: time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			lease := coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{
				HolderIdentity: &test.holder, LeaseDurationSeconds: ptr.To[int32](15), RenewTime: ptr.To(metav1.NewMicroTime(today.Add(-test.renewed))),
			}}
			if got := leads(lease, today); got != test.want {
				t.Errorf("leads: %t, want %t", got, test.want)
			}
		})
	}
}
