// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func hold(age time.Duration, stage v1beta1.MaintenanceStage, change ...func(*v1beta1.NodeMaintenance)) v1beta1.NodeMaintenance {
	h := v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: "h", CreationTimestamp: metav1.NewTime(start.Add(-age)), Finalizers: []string{v1beta1.UncordonFinalizer}},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: "n", Requestor: "alice", Stage: stage},
	}
	for _, c := range change {
		c(&h)
	}
	return h
}

func is(condition, reason string) func(*v1beta1.NodeMaintenance) {
	return func(h *v1beta1.NodeMaintenance) {
		h.Status.Conditions = append(h.Status.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: reason})
	}
}

func progress(percent int32) func(*v1beta1.NodeMaintenance) {
	return func(h *v1beta1.NodeMaintenance) { h.Status.DrainProgress = &percent }
}

func admitted(to v1beta1.MaintenanceStage) func(*v1beta1.NodeMaintenance) {
	return func(h *v1beta1.NodeMaintenance) {
		h.Status.Admission = &v1beta1.MaintenanceAdmission{Stage: to}
	}
}

func failed(h *v1beta1.NodeMaintenance) { h.Status.Phase = v1beta1.PhaseFailed }

func ending(h *v1beta1.NodeMaintenance) { h.DeletionTimestamp = &metav1.Time{Time: start} }

func released(h *v1beta1.NodeMaintenance) {
	ending(h)
	h.Finalizers = []string{"example.com/own"}
}

func TestState(t *testing.T) {
	idle, cordon, drain := v1beta1.StageIdle, v1beta1.StageCordon, v1beta1.StageDrain
	cordoned, drained := is(v1beta1.ConditionCordoned, v1beta1.ReasonCordoned), is(v1beta1.ConditionDrained, v1beta1.ReasonNodeEmpty)
	partly, nothing := is(v1beta1.ConditionDrained, v1beta1.ReasonSelectedPodsGone), is(v1beta1.ConditionDrained, v1beta1.ReasonNoPodSelected)
	percent := func(p int32) *int32 { return &p }
	tests := map[string]struct {
		unschedulable bool
		holds         []v1beta1.NodeMaintenance
		want          v1beta1.NodeMaintenanceState
		wantProgress  *int32
		wantHolds     int32
		wantSince     time.Duration
	}{
		"no hold":                       {want: v1beta1.NodeInService},
		"cordoned by hand":              {unschedulable: true, want: v1beta1.NodeUnschedulable},
		"a hold moved back to idle":     {unschedulable: true, holds: []v1beta1.NodeMaintenance{hold(1, idle, cordoned)}, want: v1beta1.NodeReleasing},
		"an idle hold":                  {holds: []v1beta1.NodeMaintenance{hold(1, idle)}, want: v1beta1.NodeInService},
		"a new hold":                    {holds: []v1beta1.NodeMaintenance{hold(1, drain)}, want: v1beta1.NodePending, wantProgress: percent(0), wantHolds: 1, wantSince: 1},
		"cordoned":                      {holds: []v1beta1.NodeMaintenance{hold(1, cordon, cordoned)}, want: v1beta1.NodeCordoned, wantHolds: 1, wantSince: 1},
		"draining":                      {holds: []v1beta1.NodeMaintenance{hold(1, drain, cordoned, progress(40))}, want: v1beta1.NodeDraining, wantProgress: percent(40), wantHolds: 1, wantSince: 1},
		"late":                          {holds: []v1beta1.NodeMaintenance{hold(1, drain, cordoned, failed)}, want: v1beta1.NodeFailed, wantProgress: percent(0), wantHolds: 1, wantSince: 1},
		"drained":                       {holds: []v1beta1.NodeMaintenance{hold(1, drain, cordoned, drained, progress(100))}, want: v1beta1.NodeDrained, wantProgress: percent(100), wantHolds: 1, wantSince: 1},
		"drained, and others stay":      {holds: []v1beta1.NodeMaintenance{hold(1, drain, cordoned, partly, progress(100))}, want: v1beta1.NodePartiallyDrained, wantProgress: percent(100), wantHolds: 1, wantSince: 1},
		"nothing was to be drained":     {holds: []v1beta1.NodeMaintenance{hold(1, drain, cordoned, nothing, progress(100)), hold(2, cordon, cordoned)}, want: v1beta1.NodePartiallyDrained, wantProgress: percent(100), wantHolds: 2, wantSince: 2},
		"another hold drained the rest": {holds: []v1beta1.NodeMaintenance{hold(1, drain, cordoned, partly, progress(100)), hold(2, drain, cordoned, drained, progress(100))}, want: v1beta1.NodeDrained, wantProgress: percent(100), wantHolds: 2, wantSince: 2},
		"drained for one of two":        {holds: []v1beta1.NodeMaintenance{hold(1, drain, cordoned, drained, progress(100)), hold(2, drain, cordoned, progress(7))}, want: v1beta1.NodeDraining, wantProgress: percent(7), wantHolds: 2, wantSince: 2},
		"drained, and one only cordons": {holds: []v1beta1.NodeMaintenance{hold(1, drain, cordoned, drained, progress(100)), hold(2, cordon, cordoned)}, want: v1beta1.NodeDrained, wantProgress: percent(100), wantHolds: 2, wantSince: 2},
		"a hold waits":                  {holds: []v1beta1.NodeMaintenance{hold(1, drain, admitted(idle), progress(0))}, want: v1beta1.NodePending, wantHolds: 1, wantSince: 1},
		"a drain waits":                 {holds: []v1beta1.NodeMaintenance{hold(1, drain, admitted(cordon), cordoned, progress(0))}, want: v1beta1.NodeCordoned, wantHolds: 1, wantSince: 1},
		"drained, and another waits":    {holds: []v1beta1.NodeMaintenance{hold(1, drain, cordoned, drained, progress(100)), hold(2, drain, admitted(idle), progress(0))}, want: v1beta1.NodeDrained, wantProgress: percent(100), wantHolds: 2, wantSince: 2},
		"the last hold ends":            {holds: []v1beta1.NodeMaintenance{hold(1, drain, cordoned, drained, ending)}, want: v1beta1.NodeReleasing},
		"one of two ends":               {holds: []v1beta1.NodeMaintenance{hold(1, drain, cordoned, ending), hold(2, cordon, cordoned)}, want: v1beta1.NodeCordoned, wantHolds: 1, wantSince: 2},
		"only another's finalizer":      {holds: []v1beta1.NodeMaintenance{hold(1, drain, cordoned, released)}, want: v1beta1.NodeInService},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "u", Labels: map[string]string{"zone": "a"}}, Spec: corev1.NodeSpec{Unschedulable: test.unschedulable}}
			got := State(node, test.holds)
			if got.Status.State != test.want || got.Status.HoldCount != test.wantHolds || got.Status.Unschedulable != test.unschedulable {
				t.Errorf("got %+v, want %s with %d holds", got.Status, test.want, test.wantHolds)
			}
			if (got.Status.DrainProgress == nil) != (test.wantProgress == nil) || (test.wantProgress != nil && *got.Status.DrainProgress != *test.wantProgress) {
				t.Errorf("got progress %v, want %v", got.Status.DrainProgress, test.wantProgress)
			}
			if test.wantSince > 0 && !got.Status.Since.Time.Equal(start.Add(-test.wantSince)) {
				t.Errorf("got since %v, want %s before %s", got.Status.Since, test.wantSince, start)
			}
			if got.Name != "n" || got.Labels["zone"] != "a" || got.UID != "" {
				t.Errorf("got metadata %+v, want the node's name and labels and nothing else", got.ObjectMeta)
			}
		})
	}
}

func TestRequestorsCell(t *testing.T) {
	state := &v1beta1.NodeState{}
	if got := requestorsCell(state); got != resource.None {
		t.Errorf("got %v for a node that nobody holds", got)
	}
	for _, requestor := range []string{"alice", "bob", "alice", "carol"} {
		state.Status.Holds = append(state.Status.Holds, v1beta1.NodeHold{Requestor: requestor})
	}
	if got := requestorsCell(state); got != "alice,bob and 1 more" {
		t.Errorf("got %v", got)
	}
}
