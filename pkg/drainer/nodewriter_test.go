// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

func TestNoteIsCappedAndReadable(t *testing.T) {
	var holds []holdstatus.Hold
	for i := range nodemarks.MaxAnnotatedHolds + 3 {
		holds = append(holds, holdOf(drainertest.Hold{Name: fmt.Sprintf("hold-%02d", i)}))
	}
	holds = append(holds, holdOf(drainertest.Hold{Name: "idle", Stage: v1beta1.StageIdle}))
	before := v1beta1.NodeBefore{Unschedulable: true, Taints: []string{"a=b:NoSchedule"}}
	value, err := nodemarks.NewMarks(drainertest.StoreID, nil).Note(heldByThese(holds, nodemarks.HoldsNote{}), before)
	if err != nil {
		t.Fatal(err)
	}
	note := nodemarks.ReadNote(drainertest.Node{HoldsNote: value}.Object())
	if note.StoreID != drainertest.StoreID || len(note.Holds) != nodemarks.MaxAnnotatedHolds || note.More != 3 {
		t.Errorf("read back %+v", note)
	}
	if diff := cmp.Diff(before, note.Before); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	if first := note.Holds[0]; first.Name != "hold-00" || first.Requestor != "hold-00" || first.Reason != "kernel" {
		t.Errorf("the first hold reads %+v", first)
	}
	if strings.Contains(value, "idle") {
		t.Error("a hold that asks for nothing is named")
	}
	if note := nodemarks.ReadNote(drainertest.Node{HoldsNote: `{"storeID":"store-1","holds":"nonsense"}`}.Object()); note.StoreID != "" {
		t.Errorf("nonsense reads as %+v", note)
	}
}

// What people read on a node obeys no control character, whoever wrote the text.
func TestNoteIsEscaped(t *testing.T) {
	hostile := holdOf(drainertest.Hold{Name: "a", Change: func(nm *v1beta1.NodeMaintenance) {
		nm.Spec.Requestor, nm.Spec.Reason = "bob\u202e", "\x1b[2J"
	}})
	value, err := nodemarks.NewMarks(drainertest.StoreID, nil).Note(heldByThese([]holdstatus.Hold{hostile}, nodemarks.HoldsNote{}), v1beta1.NodeBefore{})
	if err != nil {
		t.Fatal(err)
	}
	if held := nodemarks.ReadNote(drainertest.Node{HoldsNote: value}.Object()).Holds[0]; held.Requestor != `bob\u202e` || held.Reason != `\u001b[2J` {
		t.Errorf("got %+v, want its texts escaped", held)
	}
}

// drainsSaying is the status of a hold whose condition Drained has this reason.
func drainsSaying(reason string) []holdStatus {
	return []holdStatus{{
		hold: holdOf(drainertest.Hold{Name: "a"}),
		status: v1beta1.NodeMaintenanceStatus{
			Conditions: []metav1.Condition{{Type: v1beta1.ConditionDrained, Reason: reason}},
		},
	}}
}

func TestWantedConditions(t *testing.T) {
	const yes, no = corev1.ConditionTrue, corev1.ConditionFalse
	for name, test := range map[string]struct {
		statuses []holdStatus
		want     nodemarks.NodeConditions
	}{
		"cordoned": {want: nodemarks.NodeConditions{corev1.NodeMaintenanceInProgress: yes}},
		"draining": {
			statuses: drainsSaying(v1beta1.ReasonDraining),
			want:     nodemarks.NodeConditions{corev1.NodeMaintenanceInProgress: yes, corev1.NodeDrainInProgress: yes, corev1.NodeDrained: no},
		},
		"drained": {
			statuses: drainsSaying(v1beta1.ReasonNodeEmpty),
			want:     nodemarks.NodeConditions{corev1.NodeMaintenanceInProgress: yes, corev1.NodeDrainInProgress: no, corev1.NodeDrained: yes},
		},
		"selected pods are gone": {
			statuses: drainsSaying(v1beta1.ReasonSelectedPodsGone),
			want:     nodemarks.NodeConditions{corev1.NodeMaintenanceInProgress: yes, corev1.NodeDrainInProgress: no, corev1.NodeDrained: no},
		},
	} {
		if diff := cmp.Diff(test.want, wantedConditions(&view{statuses: test.statuses})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
