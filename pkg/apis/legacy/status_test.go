// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

type change = func(*v1beta1.NodeMaintenance)

func hold(changes ...change) *v1beta1.NodeMaintenance {
	hold := &v1beta1.NodeMaintenance{Spec: v1beta1.NodeMaintenanceSpec{NodeName: "worker-1", Stage: v1beta1.StageDrain}}
	for _, change := range changes {
		change(hold)
	}
	return hold
}

func in(phase v1beta1.MaintenancePhase, progress int32) change {
	return func(hold *v1beta1.NodeMaintenance) {
		hold.Status.Phase, hold.Status.DrainProgress = phase, &progress
	}
}

func is(kind string, status metav1.ConditionStatus, reason, message string) change {
	return func(hold *v1beta1.NodeMaintenance) {
		hold.Status.Conditions = append(hold.Status.Conditions, metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message})
	}
}

func failing(message string) change {
	return func(hold *v1beta1.NodeMaintenance) { hold.Status.LastError = message }
}

func TestPhase(t *testing.T) {
	empty := is("Drained", metav1.ConditionTrue, "NodeEmpty", "")
	for name, test := range map[string]struct {
		hold *v1beta1.NodeMaintenance
		// wantKubeVirt is empty if KubeVirt's operator shows the same.
		want, wantKubeVirt string
		wantProgress       int32
		wantError          string
	}{
		"new":                 {hold: hold(in(v1beta1.PhasePending, 0)), want: PhaseRunning},
		"no status":           {hold: hold(), want: PhaseRunning},
		"draining":            {hold: hold(in(v1beta1.PhaseRunning, 40)), want: PhaseRunning, wantProgress: 40},
		"idle":                {hold: hold(in(v1beta1.PhasePending, 0), is("Cordoned", "False", "StageIdle", "idle")), want: PhaseRunning},
		"given back":          {hold: hold(in(v1beta1.PhasePending, 0), is("Cordoned", "False", "Released", "kept")), want: PhaseRunning},
		"empty":               {hold: hold(in(v1beta1.PhaseSucceeded, 100), empty), want: PhaseSucceeded, wantProgress: 100},
		"empty, an old error": {hold: hold(in(v1beta1.PhaseSucceeded, 100), empty, failing("old")), want: PhaseSucceeded, wantProgress: 100},
		"only cordoned":       {hold: hold(in(v1beta1.PhaseSucceeded, 0), is("Drained", "False", "StageCordon", "")), want: PhaseRunning},
		"some pods gone": {
			hold: hold(in(v1beta1.PhaseSucceeded, 100), is("Drained", "True", "SelectedPodsGone", "")),
			want: PhaseRunning, wantProgress: 99,
		},
		"no pod selected": {
			hold: hold(in(v1beta1.PhaseSucceeded, 100), is("Drained", "True", "NoPodSelected", "")),
			want: PhaseRunning, wantProgress: 99,
		},
		"late": {
			hold: hold(in(v1beta1.PhaseFailed, 40), is("Blocked", "True", "DisruptionBudget", "no room")),
			want: PhaseFailed, wantProgress: 40, wantError: "no room",
		},
		"late, and nothing blocks": {
			hold: hold(in(v1beta1.PhaseFailed, 40), is("Blocked", "False", "NotBlocked", "nothing"), is("Drained", "False", "DeadlineExceeded", "2 pods are left")),
			want: PhaseFailed, wantProgress: 40, wantError: "2 pods are left",
		},
		"waiting for a policy": {
			hold: hold(in(v1beta1.PhasePending, 0), is("Cordoned", "False", "NotAdmitted", "see Admitted"), is("Admitted", "False", "Queued", "2 of 2 nodes")),
			want: PhaseRunning, wantError: "2 of 2 nodes",
		},
		"admitted": {
			hold: hold(in(v1beta1.PhaseRunning, 40), is("Admitted", "True", "Admitted", "admitted")), want: PhaseRunning, wantProgress: 40,
		},
		"blocked": {
			hold: hold(in(v1beta1.PhaseRunning, 40), is("Blocked", "True", "DisruptionBudget", "no room")),
			want: PhaseRunning, wantProgress: 40, wantError: "no room",
		},
		"an error": {
			hold: hold(in(v1beta1.PhaseRunning, 0), failing("broken"), is("Blocked", "True", "DisruptionBudget", "no room")),
			want: PhaseRunning, wantError: "broken",
		},
		"no node": {
			hold: hold(in(v1beta1.PhasePending, 0), is("Cordoned", "False", "NodeNotFound", "gone")),
			want: PhaseFailed, wantKubeVirt: PhaseRunning, wantError: `nodes "worker-1" not found`,
		},
		"node deleted": {
			hold: hold(in(v1beta1.PhasePending, 0), is("Cordoned", "False", "NodeDeleted", "gone")),
			want: PhaseFailed, wantKubeVirt: PhaseRunning, wantError: `nodes "worker-1" not found`,
		},
		"lease held": {
			hold: hold(in(v1beta1.PhasePending, 0), is("Cordoned", "False", "LeaseHeld", "held by x")),
			want: PhaseRunning, wantError: "held by x",
		},
		"lease lost": {
			hold: hold(in(v1beta1.PhaseFailed, 0), is("Cordoned", "True", "LeaseLost", "taken by x")),
			want: PhaseFailed, wantError: "taken by x",
		},
		"quorum": {
			hold: hold(in(v1beta1.PhasePending, 0), is("Cordoned", "False", "ControlPlaneQuorum", "2 of 3")),
			want: PhaseRunning, wantError: "2 of 3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, wantKubeVirt := StatusOf(test.hold), test.wantKubeVirt
			if got.Phase != test.want || got.DrainProgress != test.wantProgress || got.LastError != test.wantError {
				t.Errorf("got %s, %d %%, %q, want %s, %d %%, %q",
					got.Phase, got.DrainProgress, got.LastError, test.want, test.wantProgress, test.wantError)
			}
			if wantKubeVirt == "" {
				wantKubeVirt = test.want
			}
			if got := KubeVirtStatusOf(test.hold); got.Phase != wantKubeVirt || got.LastError != test.wantError {
				t.Errorf("KubeVirt's: got %s, %q, want %s, %q", got.Phase, got.LastError, wantKubeVirt, test.wantError)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	now := metav1.NewTime(time.Now())
	got := StatusOf(&v1beta1.NodeMaintenance{Status: v1beta1.NodeMaintenanceStatus{
		PendingPods: []string{"a/pod-1", "b/pod-2"}, PendingPodCount: 102, EvictionPods: 120, TotalPods: 130, LeaseErrorCount: 2,
		LastUpdate: &now, DrainProgress: ptr.To[int32](15),
	}})
	want := Status{
		Phase: PhaseRunning, DrainProgress: 15, LastUpdate: &now, PendingPods: []Pod{{"a", "pod-1"}, {"b", "pod-2"}},
		EvictionPods: 120, TotalPods: 130, ErrorOnLeaseCount: 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("status differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"pod-1", "pod-2"}, got.PodNames()); diff != "" {
		t.Errorf("names of pods differ (-want +got):\n%s", diff)
	}
}

// What a client of an old version has not changed stays as stored, also if the version shows it otherwise.
func TestKeep(t *testing.T) {
	stored := hold(in(v1beta1.PhasePending, 0), is("Cordoned", "False", "NodeNotFound", "gone"))
	stored.Spec.Drain.PodSelector = &metav1.LabelSelector{}
	stored.Status.PendingPods, stored.Status.PendingPodCount = []string{"a/b"}, 101
	see := func() *v1beta1.NodeMaintenance {
		seen := stored.DeepCopy()
		seen.Status = StatusOf(stored).ToHub()
		seen.Spec = SpecToHub(stored.Spec.NodeName, stored.Spec.Reason)
		return seen
	}
	for name, test := range map[string]struct {
		write change
		want  change
	}{
		"nothing": {write: func(*v1beta1.NodeMaintenance) {}, want: func(*v1beta1.NodeMaintenance) {}},
		"phase":   {write: in(v1beta1.PhaseSucceeded, 0), want: in(v1beta1.PhaseSucceeded, 0)},
		"reason": {
			write: func(h *v1beta1.NodeMaintenance) { h.Spec.Reason = "new" },
			want:  func(h *v1beta1.NodeMaintenance) { h.Spec.Reason = "new" },
		},
		"what a webhook sets": {
			write: func(h *v1beta1.NodeMaintenance) {
				h.Spec.Stage, h.Spec.ExpirationSeconds, h.Spec.Drain.EmptyDirPods = v1beta1.StageCordon, ptr.To[int64](60), v1beta1.PolicyBlock
			},
			want: func(h *v1beta1.NodeMaintenance) {
				h.Spec.Stage, h.Spec.ExpirationSeconds, h.Spec.Drain.EmptyDirPods = v1beta1.StageCordon, ptr.To[int64](60), v1beta1.PolicyBlock
			},
		},
		"pods": {
			write: func(h *v1beta1.NodeMaintenance) {
				h.Status.PendingPods, h.Status.PendingPodCount = []string{"a/c"}, 1
			},
			want: func(h *v1beta1.NodeMaintenance) {
				h.Status.PendingPods, h.Status.PendingPodCount = []string{"a/c"}, 1
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			written, want := see(), stored.DeepCopy()
			test.write(written)
			test.want(want)
			Keep(written, stored, see())
			if diff := cmp.Diff(want, written); diff != "" {
				t.Errorf("hold differs (-want +got):\n%s", diff)
			}
		})
	}
}
