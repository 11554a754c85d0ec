// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestHeadings(t *testing.T) {
	got, err := table.ConvertToTable(context.Background(), stored(), nil)
	if err != nil {
		t.Fatal(err)
	}
	type heading struct {
		Name string
		Wide bool
	}
	var headings []heading
	for _, column := range got.ColumnDefinitions {
		headings = append(headings, heading{column.Name, column.Priority > 0})
		if column.Description == "" {
			t.Errorf("column %s has no description", column.Name)
		}
	}
	want := []heading{
		{"Name", false},
		{"Node", false},
		{"Phase", false},
		{"Progress", false},
		{"Pending", false},
		{"Requestor", false},
		{"Reason", false},
		{"Age", false},
		{"Stage", true},
		{"Blocked By", true},
		{"Earliest", true},
	}
	if diff := cmp.Diff(want, headings); diff != "" {
		t.Errorf("headings differ (-want +got):\n%s", diff)
	}
}

func TestCells(t *testing.T) {
	tests := map[string]struct {
		change func(*v1beta1.NodeMaintenance)
		want   []any
	}{
		"running": {
			change: func(nm *v1beta1.NodeMaintenance) {
				nm.Spec.Reason = "disk\n replacement"
				nm.Status.PendingPodCount = 12
			},
			want: []any{"nm-a", "worker-3", "Running", "40%", int64(12), "alice", "disk replacement", "9h", "Drain", "<none>", "<none>"},
		},
		"being given back": {
			change: func(nm *v1beta1.NodeMaintenance) { terminatingSince(nm) },
			want:   []any{"nm-a", "worker-3", "Terminating", "40%", int64(0), "alice", "", "9h", "Drain", "<none>", "<none>"},
		},
		"cordoned only": {
			change: func(nm *v1beta1.NodeMaintenance) {
				nm.Spec.Stage = v1beta1.StageCordon
				nm.Status = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhaseSucceeded}
			},
			want: []any{"nm-a", "worker-3", "Cordoned", "<none>", int64(0), "alice", "", "9h", "Cordon", "<none>", "<none>"},
		},
		"not cordoned yet": {
			change: func(nm *v1beta1.NodeMaintenance) {
				nm.Spec.Stage = v1beta1.StageCordon
				nm.Status = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhaseRunning}
			},
			want: []any{"nm-a", "worker-3", "Running", "<none>", int64(0), "alice", "", "9h", "Cordon", "<none>", "<none>"},
		},
		"drained": {
			change: drained(v1beta1.ReasonNodeEmpty),
			want:   []any{"nm-a", "worker-3", "Succeeded", "100%", int64(0), "alice", "", "9h", "Drain", "<none>", "<none>"},
		},
		"drained of some pods": {
			change: drained(v1beta1.ReasonSelectedPodsGone),
			want:   []any{"nm-a", "worker-3", "PartiallyDrained", "100%", int64(0), "alice", "", "9h", "Drain", "<none>", "<none>"},
		},
		"drained of no pod": {
			change: drained(v1beta1.ReasonNoPodSelected),
			want:   []any{"nm-a", "worker-3", "PartiallyDrained", "100%", int64(0), "alice", "", "9h", "Drain", "<none>", "<none>"},
		},
		"no such node": {
			change: func(nm *v1beta1.NodeMaintenance) {
				nm.Status = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhasePending, Conditions: []metav1.Condition{
					{Type: v1beta1.ConditionCordoned, Status: metav1.ConditionFalse, Reason: v1beta1.ReasonNodeNotFound},
				}}
			},
			want: []any{"nm-a", "worker-3", "Pending", "0%", int64(0), "alice", "", "9h", "Drain", "NodeNotFound", "<none>"},
		},
		"idle": {
			change: func(nm *v1beta1.NodeMaintenance) {
				nm.Spec.Stage = v1beta1.StageIdle
				nm.Status = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhasePending, Conditions: []metav1.Condition{
					{Type: v1beta1.ConditionCordoned, Status: metav1.ConditionFalse, Reason: v1beta1.ReasonStageIdle},
				}}
			},
			want: []any{"nm-a", "worker-3", "Pending", "<none>", int64(0), "alice", "", "9h", "Idle", "<none>", "<none>"},
		},
		"waiting": {
			change: waitingAt(v1beta1.StageIdle, "workers", "db"),
			want: []any{
				"nm-a", "worker-3", "Pending", "0%", int64(0), "alice", "", "9h", "Drain", "policy workers: Queued and 1 more", "2026-12-05T20:00:00Z",
			},
		},
		"waiting for two limits of a policy": {
			change: waitingAt(v1beta1.StageIdle, "workers", "workers"),
			want:   []any{"nm-a", "worker-3", "Pending", "0%", int64(0), "alice", "", "9h", "Drain", "policy workers: Queued", "2026-12-05T20:00:00Z"},
		},
		"waiting for no policy": {
			change: waitingAt(v1beta1.StageIdle, ""),
			want:   []any{"nm-a", "worker-3", "Pending", "0%", int64(0), "alice", "", "9h", "Drain", "Queued", "2026-12-05T20:00:00Z"},
		},
		"waiting with its drain": {
			change: waitingAt(v1beta1.StageCordon, "workers"),
			want:   []any{"nm-a", "worker-3", "Pending", "0%", int64(0), "alice", "", "9h", "Drain", "policy workers: Queued", "2026-12-05T20:00:00Z"},
		},
		"waiting no more": {
			change: waitingAt(v1beta1.StageDrain),
			want:   []any{"nm-a", "worker-3", "Pending", "0%", int64(0), "alice", "", "9h", "Drain", "NotAdmitted", "<none>"},
		},
		"waiting and being given back": {
			change: func(nm *v1beta1.NodeMaintenance) {
				waitingAt(v1beta1.StageIdle, "workers")(nm)
				terminatingSince(nm)
			},
			want: []any{"nm-a", "worker-3", "Terminating", "0%", int64(0), "alice", "", "9h", "Drain", "<none>", "<none>"},
		},
		"a reason as long as fits": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Spec.Reason = "äbcdefghijklmnopqrstuvwxyz0123456789äbcd" },
			want:   []any{"nm-a", "worker-3", "Running", "40%", int64(0), "alice", "äbcdefghijklmnopqrstuvwxyz0123456789äbcd", "9h", "Drain", "<none>", "<none>"},
		},
		"a longer reason": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Spec.Reason = "äbcdefghijklmnopqrstuvwxyz0123456789äbcde" },
			want:   []any{"nm-a", "worker-3", "Running", "40%", int64(0), "alice", "äbcdefghijklmnopqrstuvwxyz0123456789ä...", "9h", "Drain", "<none>", "<none>"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm := stored()
			nm.CreationTimestamp = metav1.NewTime(time.Now().Add(-9 * time.Hour)) // an age is told to the hour then
			test.change(nm)
			got, err := table.ConvertToTable(context.Background(), nm, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Rows[0].Cells); diff != "" {
				t.Errorf("cells differ (-want +got):\n%s", diff)
			}
		})
	}
}

// drained has the hold say that its drain is done.
func drained(reason string) func(*v1beta1.NodeMaintenance) {
	return func(nm *v1beta1.NodeMaintenance) {
		nm.Status = v1beta1.NodeMaintenanceStatus{
			Phase: v1beta1.PhaseSucceeded, DrainProgress: ptr.To[int32](100),
			Conditions: []metav1.Condition{{Type: v1beta1.ConditionDrained, Status: metav1.ConditionTrue, Reason: reason}},
		}
	}
}

func TestBlockedByCell(t *testing.T) {
	budget := v1beta1.DrainBlocker{
		Pod: "demo/web-1", Reason: "DisruptionBudget", Object: "disruptionbudget/demo/web",
	}
	stuck := v1beta1.DrainBlocker{Pod: "demo/db-0", Reason: "Terminating"}
	tests := map[string]struct {
		blockers []v1beta1.DrainBlocker
		count    int32
		want     string
	}{
		"nothing":    {want: "<none>"},
		"one pod":    {blockers: []v1beta1.DrainBlocker{budget}, count: 1, want: "disruptionbudget demo/web (1 pod)"},
		"one budget": {blockers: []v1beta1.DrainBlocker{budget, budget}, count: 3, want: "disruptionbudget demo/web (3 pods)"},
		"two budgets": {
			blockers: []v1beta1.DrainBlocker{{Object: "PodDisruptionBudget/demo/web,PodDisruptionBudget/demo/web-too"}},
			count:    1, want: "PodDisruptionBudget demo/web, PodDisruptionBudget demo/web-too (1 pod)",
		},
		"no object":         {blockers: []v1beta1.DrainBlocker{stuck}, count: 1, want: "Terminating (1 pod)"},
		"several obstacles": {blockers: []v1beta1.DrainBlocker{stuck, budget, budget}, count: 3, want: "Terminating and 1 more (3 pods)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm := stored()
			nm.Status.Blockers, nm.Status.BlockedPodCount = test.blockers, test.count
			if got := blockedByCell(nm); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// waitingAt has a hold be admitted to the stage, and wait for the policies with the rest.
func waitingAt(stage v1beta1.MaintenanceStage, policies ...string) func(*v1beta1.NodeMaintenance) {
	return func(nm *v1beta1.NodeMaintenance) {
		earliest := metav1.NewTime(time.Date(2026, 12, 5, 21, 0, 0, 0, time.FixedZone("CET", 3600)))
		admission := &v1beta1.MaintenanceAdmission{Stage: stage, EarliestStartTime: &earliest}
		for _, policy := range policies {
			admission.WaitingFor = append(admission.WaitingFor, v1beta1.AdmissionWait{Policy: policy, Reason: v1beta1.AdmissionQueued})
		}
		nm.Status = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhasePending, Admission: admission, Conditions: []metav1.Condition{
			{Type: v1beta1.ConditionCordoned, Status: metav1.ConditionFalse, Reason: v1beta1.ReasonNotAdmitted},
		}}
	}
}
