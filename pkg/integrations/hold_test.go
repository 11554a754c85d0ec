// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

var node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", UID: "uid-1"}}

// stored is the hold of vSphere on the node, drained, with a change.
func stored(change func(*v1beta1.NodeMaintenance)) *v1beta1.NodeMaintenance {
	hold := &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: v1beta1.HoldName("node-1", v1beta1.VSphereRequestor), UID: "uid-hold", Generation: 2},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: "node-1", Requestor: v1beta1.VSphereRequestor},
		Status: v1beta1.NodeMaintenanceStatus{NodeUID: "uid-1", Conditions: []metav1.Condition{{
			Type: v1beta1.ConditionDrained, Status: metav1.ConditionTrue, ObservedGeneration: 2,
		}}},
	}
	v1beta1.SetObjectDefaults_NodeMaintenance(hold)
	change(hold)
	return hold
}

func TestKeep(t *testing.T) {
	tests := map[string]struct {
		change      func(*v1beta1.NodeMaintenance)
		want        Want
		wantDrained bool
		wantWrites  int
		wantGrace   *int64
		wantError   string
	}{
		"drained":                     {change: func(*v1beta1.NodeMaintenance) {}, wantDrained: true},
		"of another node of the name": {change: func(h *v1beta1.NodeMaintenance) { h.Status.NodeUID = "former" }},
		"not drained anew":            {change: func(h *v1beta1.NodeMaintenance) { h.Generation = 3 }},
		"not drained":                 {change: func(h *v1beta1.NodeMaintenance) { h.Status.Conditions[0].Status = metav1.ConditionFalse }},
		"being given back":            {change: func(h *v1beta1.NodeMaintenance) { h.DeletionTimestamp = ptr.To(metav1.Now()) }, want: Want{Hurry: true}},
		"in a hurry by now":           {change: func(*v1beta1.NodeMaintenance) {}, want: Want{Hurry: true}, wantDrained: true, wantWrites: 1, wantGrace: ptr.To[int64](1)},
		"changed by people":           {change: func(h *v1beta1.NodeMaintenance) { h.Spec.Drain.GracePeriodSeconds = ptr.To[int64](9) }, wantDrained: true, wantGrace: ptr.To[int64](9)},
		"a lower stage":               {change: func(h *v1beta1.NodeMaintenance) { h.Spec.Stage = v1beta1.StageCordon }, wantDrained: true, wantWrites: 1},
		"of somebody else":            {change: func(h *v1beta1.NodeMaintenance) { h.Spec.Requestor = "alice" }, wantError: `is of "alice" on node node-1`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client := fake.NewSimpleClientset(stored(test.change))
			holds := NewHolds(client, nil, v1beta1.VSphereRequestor)
			drained, err := holds.Keep(t.Context(), node, test.want)
			if drained != test.wantDrained || (err == nil) != (test.wantError == "") || err != nil && !strings.Contains(err.Error(), test.wantError) {
				t.Errorf("got %t, %v; want %t, %q", drained, err, test.wantDrained, test.wantError)
			}
			if got := len(client.Actions()) - 1; got != test.wantWrites {
				t.Errorf("%d writes, want %d", got, test.wantWrites)
			}
			hold, err := client.MaintenanceV1beta1().NodeMaintenances().Get(t.Context(), stored(test.change).Name, metav1.GetOptions{})
			if err != nil || ptr.Deref(hold.Spec.Drain.GracePeriodSeconds, 0) != ptr.Deref(test.wantGrace, 0) {
				t.Errorf("got grace period %v (%v), want %v", hold.Spec.Drain.GracePeriodSeconds, err, test.wantGrace)
			}
		})
	}
}

// A hold of somebody else is never deleted, whatever its name is.
func TestGiveBackOfOthers(t *testing.T) {
	client := fake.NewSimpleClientset(stored(func(h *v1beta1.NodeMaintenance) { h.Spec.Requestor = "alice" }))
	if _, err := NewHolds(client, nil, v1beta1.VSphereRequestor).GiveBack(t.Context(), "node-1"); err == nil || len(client.Actions()) != 1 {
		t.Errorf("got %v after %v, want an error and no deletion", err, client.Actions())
	}
}
