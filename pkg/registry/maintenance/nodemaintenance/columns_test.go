// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
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
	}
	if diff := cmp.Diff(want, headings); diff != "" {
		t.Errorf("headings differ (-want +got):\n%s", diff)
	}
}

func TestCells(t *testing.T) {
	tests := map[string]struct {
		change func(*maintenance.NodeMaintenance)
		want   []any
	}{
		"running": {
			change: func(nm *maintenance.NodeMaintenance) {
				nm.Spec.Reason = "disk\n replacement"
				nm.Status.PendingPodCount = 12
			},
			want: []any{"nm-a", "worker-3", "Running", "40%", int64(12), "alice", "disk replacement", "5m", "Drain", "<none>"},
		},
		"being given back": {
			change: func(nm *maintenance.NodeMaintenance) { terminatingSince(nm) },
			want:   []any{"nm-a", "worker-3", "Terminating", "40%", int64(0), "alice", "", "5m", "Drain", "<none>"},
		},
		"cordoned only": {
			change: func(nm *maintenance.NodeMaintenance) {
				nm.Spec.Stage = maintenance.StageCordon
				nm.Status = maintenance.NodeMaintenanceStatus{Phase: maintenance.PhaseSucceeded}
			},
			want: []any{"nm-a", "worker-3", "Succeeded", "<none>", int64(0), "alice", "", "5m", "Cordon", "<none>"},
		},
		"a reason as long as fits": {
			change: func(nm *maintenance.NodeMaintenance) { nm.Spec.Reason = "äbcdefghijklmnopqrstuvwxyz0123456789äbcd" },
			want:   []any{"nm-a", "worker-3", "Running", "40%", int64(0), "alice", "äbcdefghijklmnopqrstuvwxyz0123456789äbcd", "5m", "Drain", "<none>"},
		},
		"a longer reason": {
			change: func(nm *maintenance.NodeMaintenance) { nm.Spec.Reason = "äbcdefghijklmnopqrstuvwxyz0123456789äbcde" },
			want:   []any{"nm-a", "worker-3", "Running", "40%", int64(0), "alice", "äbcdefghijklmnopqrstuvwxyz0123456789ä...", "5m", "Drain", "<none>"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm := stored()
			nm.CreationTimestamp = metav1.NewTime(time.Now().Add(-5 * time.Minute))
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

func TestBlockedByCell(t *testing.T) {
	budget := maintenance.DrainBlocker{
		Pod: "demo/web-1", Reason: "DisruptionBudget", Object: "disruptionbudget/demo/web",
	}
	stuck := maintenance.DrainBlocker{Pod: "demo/db-0", Reason: "Terminating"}
	tests := map[string]struct {
		blockers []maintenance.DrainBlocker
		count    int32
		want     string
	}{
		"nothing":    {want: "<none>"},
		"one pod":    {blockers: []maintenance.DrainBlocker{budget}, count: 1, want: "disruptionbudget demo/web (1 pod)"},
		"one budget": {blockers: []maintenance.DrainBlocker{budget, budget}, count: 3, want: "disruptionbudget demo/web (3 pods)"},
		"two budgets": {
			blockers: []maintenance.DrainBlocker{{Object: "PodDisruptionBudget/demo/web,PodDisruptionBudget/demo/web-too"}},
			count:    1, want: "PodDisruptionBudget demo/web, PodDisruptionBudget demo/web-too (1 pod)",
		},
		"no object":         {blockers: []maintenance.DrainBlocker{stuck}, count: 1, want: "Terminating (1 pod)"},
		"several obstacles": {blockers: []maintenance.DrainBlocker{stuck, budget, budget}, count: 3, want: "Terminating and 1 more (3 pods)"},
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
