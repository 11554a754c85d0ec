// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func validStatus() v1beta1.NodeMaintenanceStatus {
	return v1beta1.NodeMaintenanceStatus{
		ObservedGeneration: 2,
		Phase:              v1beta1.PhaseRunning,
		DrainProgress:      ptr.To[int32](100),
		EvictionPods:       3,
		TotalPods:          5,
		PendingPods:        make([]string, 100),
		PendingPodCount:    120,
		Blockers:           []v1beta1.DrainBlocker{{Pod: "demo/web-1", Reason: "Terminating"}},
		BlockedPodCount:    1,
		Conditions: []metav1.Condition{{
			Type: "Drained", Status: metav1.ConditionFalse, Reason: "Draining", LastTransitionTime: metav1.Now(),
		}},
	}
}

func TestStatusThatAnotherVersionStored(t *testing.T) {
	old := validNodeMaintenance()
	old.Status = validStatus()
	old.Status.Phase = "Queued"
	changed := old.DeepCopy()
	changed.Status.LastError = "the stage is not known"
	wantErrors(t, ValidateNodeMaintenanceStatusUpdate(changed, old))
	changed.Status.Phase = "Done"
	wantErrors(t, ValidateNodeMaintenanceStatusUpdate(changed, old),
		`status.phase: Unsupported value: "Done": supported values: "Pending", "Running", "Succeeded", "Failed"`)
}

func TestValidateNodeMaintenanceStatusUpdate(t *testing.T) {
	tests := map[string]struct {
		change func(*v1beta1.NodeMaintenanceStatus)
		want   []string
	}{
		"valid": {change: func(*v1beta1.NodeMaintenanceStatus) {}},
		"phase unknown": {
			change: func(s *v1beta1.NodeMaintenanceStatus) { s.Phase = "Done" },
			want:   []string{`status.phase: Unsupported value: "Done": supported values: "Pending", "Running", "Succeeded", "Failed"`},
		},
		"phase missing": {
			change: func(s *v1beta1.NodeMaintenanceStatus) { s.Phase = "" },
			want:   []string{`status.phase: Unsupported value: "": supported values: "Pending", "Running", "Succeeded", "Failed"`},
		},
		"progress over 100": {
			change: func(s *v1beta1.NodeMaintenanceStatus) { s.DrainProgress = ptr.To[int32](101) },
			want:   []string{"status.drainProgress: Invalid value: 101: must be between 0 and 100, inclusive"},
		},
		"progress negative": {
			change: func(s *v1beta1.NodeMaintenanceStatus) { s.DrainProgress = ptr.To[int32](-1) },
			want:   []string{"status.drainProgress: Invalid value: -1: must be between 0 and 100, inclusive"},
		},
		"counts negative": {
			change: func(s *v1beta1.NodeMaintenanceStatus) {
				s.ObservedGeneration, s.EvictionPods, s.TotalPods = -1, -2, -3
				s.PendingPodCount, s.BlockedPodCount = -4, -5
			},
			want: []string{
				"status.observedGeneration: Invalid value: -1: must be greater than or equal to 0",
				"status.evictionPods: Invalid value: -2: must be greater than or equal to 0",
				"status.totalPods: Invalid value: -3: must be greater than or equal to 0",
				"status.pendingPodCount: Invalid value: -4: must be greater than or equal to 0",
				"status.blockedPodCount: Invalid value: -5: must be greater than or equal to 0",
			},
		},
		"pending pods over the cap": {
			change: func(s *v1beta1.NodeMaintenanceStatus) { s.PendingPods = make([]string, 101) },
			want:   []string{"status.pendingPods: Too many: 101: must have at most 100 items"},
		},
		"blockers over the cap": {
			change: func(s *v1beta1.NodeMaintenanceStatus) {
				blocker := s.Blockers[0]
				for range 20 {
					s.Blockers = append(s.Blockers, blocker)
				}
			},
			want: []string{"status.blockers: Too many: 21: must have at most 20 items"},
		},
		"blocker without pod and reason": {
			change: func(s *v1beta1.NodeMaintenanceStatus) { s.Blockers[0] = v1beta1.DrainBlocker{} },
			want: []string{
				"status.blockers[0].pod: Required value: must be the blocked pod, as namespace/name",
				"status.blockers[0].reason: Required value: must be the kind of blocker",
			},
		},
		"condition without a reason": {
			change: func(s *v1beta1.NodeMaintenanceStatus) { s.Conditions[0].Reason = "" },
			want:   []string{"status.conditions[0].reason: Required value"},
		},
		"condition twice": {
			change: func(s *v1beta1.NodeMaintenanceStatus) { s.Conditions = append(s.Conditions, s.Conditions[0]) },
			want:   []string{`status.conditions[1]: Duplicate value: "Drained"`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm := validNodeMaintenance()
			nm.Status = validStatus()
			old := nm.DeepCopy()
			test.change(&nm.Status)
			wantErrors(t, ValidateNodeMaintenanceStatusUpdate(nm, old), test.want...)
		})
	}
}
