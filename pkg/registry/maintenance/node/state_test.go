// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func hold(age time.Duration, stage maintenance.MaintenanceStage, change ...func(*maintenance.NodeMaintenance)) maintenance.NodeMaintenance {
	h := maintenance.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: "h", CreationTimestamp: metav1.NewTime(start.Add(-age)), Finalizers: []string{v1beta1.UncordonFinalizer}},
		Spec:       maintenance.NodeMaintenanceSpec{NodeName: "n", Requestor: "alice", Stage: stage},
	}
	for _, c := range change {
		c(&h)
	}
	return h
}

func is(condition, reason string) func(*maintenance.NodeMaintenance) {
	return func(h *maintenance.NodeMaintenance) {
		h.Status.Conditions = append(h.Status.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: reason})
	}
}

func progress(percent int32) func(*maintenance.NodeMaintenance) {
	return func(h *maintenance.NodeMaintenance) { h.Status.DrainProgress = &percent }
}

func admitted(to maintenance.MaintenanceStage) func(*maintenance.NodeMaintenance) {
	return func(h *maintenance.NodeMaintenance) {
		h.Status.Admission = &maintenance.MaintenanceAdmission{Stage: to}
	}
}

func failed(h *maintenance.NodeMaintenance) { h.Status.Phase = maintenance.PhaseFailed }

func ending(h *maintenance.NodeMaintenance) { h.DeletionTimestamp = &metav1.Time{Time: start} }

func released(h *maintenance.NodeMaintenance) {
	ending(h)
	h.Finalizers = []string{"example.com/own"}
}

func TestState(t *testing.T) {
	idle, cordon, drain := maintenance.StageIdle, maintenance.StageCordon, maintenance.StageDrain
	cordoned, drained := is(v1beta1.ConditionCordoned, v1beta1.ReasonCordoned), is(v1beta1.ConditionDrained, v1beta1.ReasonNodeEmpty)
	partly, nothing := is(v1beta1.ConditionDrained, v1beta1.ReasonSelectedPodsGone), is(v1beta1.ConditionDrained, v1beta1.ReasonNoPodSelected)
	percent := func(p int32) *int32 { return &p }
	tests := map[string]struct {
		unschedulable bool
		holds         []maintenance.NodeMaintenance
		want          maintenance.NodeMaintenanceState
		wantProgress  *int32
		wantHolds     int32
		wantSince     time.Duration
	}{
		"no hold":                       {want: maintenance.NodeInService},
		"cordoned by hand":              {unschedulable: true, want: maintenance.NodeUnschedulable},
		"a hold moved back to idle":     {unschedulable: true, holds: []maintenance.NodeMaintenance{hold(1, idle, cordoned)}, want: maintenance.NodeReleasing},
		"an idle hold":                  {holds: []maintenance.NodeMaintenance{hold(1, idle)}, want: maintenance.NodeInService},
		"a new hold":                    {holds: []maintenance.NodeMaintenance{hold(1, drain)}, want: maintenance.NodePending, wantProgress: percent(0), wantHolds: 1, wantSince: 1},
		"cordoned":                      {holds: []maintenance.NodeMaintenance{hold(1, cordon, cordoned)}, want: maintenance.NodeCordoned, wantHolds: 1, wantSince: 1},
		"draining":                      {holds: []maintenance.NodeMaintenance{hold(1, drain, cordoned, progress(40))}, want: maintenance.NodeDraining, wantProgress: percent(40), wantHolds: 1, wantSince: 1},
		"late":                          {holds: []maintenance.NodeMaintenance{hold(1, drain, cordoned, failed)}, want: maintenance.NodeFailed, wantProgress: percent(0), wantHolds: 1, wantSince: 1},
		"drained":                       {holds: []maintenance.NodeMaintenance{hold(1, drain, cordoned, drained, progress(100))}, want: maintenance.NodeDrained, wantProgress: percent(100), wantHolds: 1, wantSince: 1},
		"drained, and others stay":      {holds: []maintenance.NodeMaintenance{hold(1, drain, cordoned, partly, progress(100))}, want: maintenance.NodePartiallyDrained, wantProgress: percent(100), wantHolds: 1, wantSince: 1},
		"nothing was to be drained":     {holds: []maintenance.NodeMaintenance{hold(1, drain, cordoned, nothing, progress(100)), hold(2, cordon, cordoned)}, want: maintenance.NodePartiallyDrained, wantProgress: percent(100), wantHolds: 2, wantSince: 2},
		"another hold drained the rest": {holds: []maintenance.NodeMaintenance{hold(1, drain, cordoned, partly, progress(100)), hold(2, drain, cordoned, drained, progress(100))}, want: maintenance.NodeDrained, wantProgress: percent(100), wantHolds: 2, wantSince: 2},
		"drained for one of two":        {holds: []maintenance.NodeMaintenance{hold(1, drain, cordoned, drained, progress(100)), hold(2, drain, cordoned, progress(7))}, want: maintenance.NodeDraining, wantProgress: percent(7), wantHolds: 2, wantSince: 2},
		"drained, and one only cordons": {holds: []maintenance.NodeMaintenance{hold(1, drain, cordoned, drained, progress(100)), hold(2, cordon, cordoned)}, want: maintenance.NodeDrained, wantProgress: percent(100), wantHolds: 2, wantSince: 2},
		"a hold waits":                  {holds: []maintenance.NodeMaintenance{hold(1, drain, admitted(idle), progress(0))}, want: maintenance.NodePending, wantHolds: 1, wantSince: 1},
		"a drain waits":                 {holds: []maintenance.NodeMaintenance{hold(1, drain, admitted(cordon), cordoned, progress(0))}, want: maintenance.NodeCordoned, wantHolds: 1, wantSince: 1},
		"drained, and another waits":    {holds: []maintenance.NodeMaintenance{hold(1, drain, cordoned, drained, progress(100)), hold(2, drain, admitted(idle), progress(0))}, want: maintenance.NodeDrained, wantProgress: percent(100), wantHolds: 2, wantSince: 2},
		"the last hold ends":            {holds: []maintenance.NodeMaintenance{hold(1, drain, cordoned, drained, ending)}, want: maintenance.NodeReleasing},
		"one of two ends":               {holds: []maintenance.NodeMaintenance{hold(1, drain, cordoned, ending), hold(2, cordon, cordoned)}, want: maintenance.NodeCordoned, wantHolds: 1, wantSince: 2},
		"only another's finalizer":      {holds: []maintenance.NodeMaintenance{hold(1, drain, cordoned, released)}, want: maintenance.NodeInService},
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
	state := &maintenance.NodeState{}
	if got := requestorsCell(state); got != none {
		t.Errorf("got %v for a node that nobody holds", got)
	}
	for _, requestor := range []string{"alice", "bob", "alice", "carol"} {
		state.Status.Holds = append(state.Status.Holds, maintenance.NodeHold{Requestor: requestor})
	}
	if got := requestorsCell(state); got != "alice,bob and 1 more" {
		t.Errorf("got %v", got)
	}
}
