// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/returns"
)

const testUID = "uid-worker-1"

// held are the facts of a cordoned node of hold a, whose drain is as it says; nil while the node's
// pods are not known.
func held(drain *HoldDrain) Facts {
	f := Facts{Node: testUID, Before: &v1beta1.NodeBefore{}, Cordoned: true}
	if drain != nil {
		f.Drain.ByHold = map[types.UID]*HoldDrain{drainertest.UID("a"): drain}
	}
	return f
}

func pendingFacts(total, moved, pending int) *HoldDrain {
	f := &HoldDrain{Moved: moved}
	f.Total = total
	for i := range pending {
		f.Pending = append(f.Pending, drainertest.Pod{Name: fmt.Sprintf("p%03d", i)}.Object())
	}
	return f
}

func emptyFacts(moved int) *HoldDrain { return &HoldDrain{Moved: moved, Empty: true} }

// leavingFacts are those of a drain that is done, and leaves pods on the node.
func leavingFacts(moved, staying int) *HoldDrain {
	f := emptyFacts(moved)
	f.Staying = staying
	return f
}

// following is the status that follows another one of the hold.
func following(h Hold, status v1beta1.NodeMaintenanceStatus, f Facts, now time.Time) v1beta1.NodeMaintenanceStatus {
	h.Present = status
	return NextStatus(h, f, now)
}

// moment is a moment of a hold's life: what is found, how long after the moment before.
type moment struct {
	after time.Duration
	facts Facts
	spec  func(*v1beta1.NodeMaintenance)

	wantPhase    v1beta1.MaintenancePhase
	wantCordoned string
	wantDrained  string
	wantProgress int32
	// wantStart is the second at which the drain began; -1: there is none.
	wantStart int
	wantError string
}

// allPods has the hold drain all pods.
func allPods(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.PodSelector, hold.Generation = nil, 2 }

// aMinute gives the hold a minute.
func aMinute(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.TimeoutSeconds = ptr.To[int64](60) }

// Each case is a life; every status is made from the one before.
func TestNextStatus(t *testing.T) {
	failed := held(nil)
	failed.Cordoned, failed.CordonError = false, "forbidden"
	unlisted := held(pendingFacts(2, 2, 2))
	unlisted.Drain.Failure = "no list"
	tests := map[string]struct {
		hold  drainertest.Hold
		steps []moment
	}{
		"a drain": {hold: drainertest.Hold{Name: "a"}, steps: []moment{
			{
				facts: Facts{Node: testUID, Before: &v1beta1.NodeBefore{}}, wantPhase: v1beta1.PhaseRunning,
				wantStart: -1,
			},
			{
				facts: held(nil), after: time.Second, wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining, wantStart: 1,
			},
			{
				facts: held(pendingFacts(9, 4, 4)), after: time.Second, wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining, wantStart: 1,
			},
			{
				facts: held(pendingFacts(8, 4, 3)), after: time.Second, wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining, wantProgress: 25,
				wantStart: 1,
			},
			// Four more slip in: more is left to do, but progress does not run backwards.
			{
				facts: held(pendingFacts(12, 8, 7)), after: time.Second, wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining, wantProgress: 25,
				wantStart: 1,
			},
			// The watch shows nothing left, no list has confirmed it.
			{
				facts: held(pendingFacts(5, 8, 0)), after: time.Second, wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining, wantProgress: 99,
				wantStart: 1,
			},
			{
				facts: held(emptyFacts(8)), after: time.Second, wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
				wantStart: 1,
			},
			{
				facts: held(pendingFacts(5, 8, 0)), after: time.Hour, wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
				wantStart: 1,
			},
		}},
		"nothing to drain": {hold: drainertest.Hold{Name: "a"}, steps: []moment{
			{
				facts: held(emptyFacts(0)), wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
			},
		}},
		"a selector's pods gone": {hold: drainertest.Hold{Name: "a", SelectApp: "db"}, steps: []moment{
			{
				facts: held(leavingFacts(3, 2)), wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonSelectedPodsGone,
				wantProgress: 100,
			},
			// The other pods leave by themselves, and one comes back.
			{
				facts: held(pendingFacts(0, 3, 0)), wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
			},
			{
				facts: held(leavingFacts(3, 1)), wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonSelectedPodsGone, wantProgress: 100,
			},
			// Another selector: what the watch shows does not suffice any more.
			{
				facts: held(pendingFacts(3, 0, 0)), after: time.Second, spec: allPods,
				wantPhase: v1beta1.PhaseRunning, wantCordoned: v1beta1.ReasonCordoned,
				wantDrained: v1beta1.ReasonDraining, wantStart: 1,
			},
			{
				facts: held(emptyFacts(0)), after: time.Second, wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
				wantStart: 1,
			},
		}},
		"a selector that matches nothing": {hold: drainertest.Hold{Name: "a", SelectApp: "typo"}, steps: []moment{
			{
				facts: held(leavingFacts(0, 14)), wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNoPodSelected, wantProgress: 100,
			},
		}},
		"a late pod": {hold: drainertest.Hold{Name: "a", TimeoutSeconds: 10}, steps: []moment{
			{
				facts: held(emptyFacts(3)), wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
			},
			{
				facts: held(pendingFacts(1, 1, 1)), after: time.Minute, wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining, wantStart: 60,
			},
			{
				facts: held(emptyFacts(1)), after: time.Second, wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
				wantStart: 60,
			},
		}},
		"past the deadline, and done after all": {
			hold: drainertest.Hold{Name: "a", TimeoutSeconds: 10},
			steps: []moment{
				{
					facts: held(pendingFacts(2, 2, 2)), wantPhase: v1beta1.PhaseRunning,
					wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining,
				},
				{
					facts: held(pendingFacts(2, 2, 1)), after: 10 * time.Second, wantPhase: v1beta1.PhaseFailed,
					wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDeadlineExceeded,
					wantProgress: 50,
				},
				{
					facts: held(emptyFacts(2)), after: time.Second, wantPhase: v1beta1.PhaseSucceeded,
					wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
				},
			},
		},
		"more time given": {hold: drainertest.Hold{Name: "a", TimeoutSeconds: 10}, steps: []moment{
			{
				facts: held(pendingFacts(2, 2, 2)), wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining,
			},
			{
				facts: held(pendingFacts(2, 2, 2)), after: 10 * time.Second, wantPhase: v1beta1.PhaseFailed,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDeadlineExceeded,
			},
			{
				facts: held(pendingFacts(2, 2, 2)), after: time.Second, spec: aMinute,
				wantPhase: v1beta1.PhaseRunning, wantCordoned: v1beta1.ReasonCordoned,
				wantDrained: v1beta1.ReasonDraining,
			},
		}},
		"a restart leaves what was said": {hold: drainertest.Hold{Name: "a"}, steps: []moment{
			{
				facts: held(pendingFacts(4, 4, 3)), wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining, wantProgress: 25,
			},
			{
				facts: held(nil), after: time.Second, wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining, wantProgress: 25,
			},
			{
				facts: held(emptyFacts(4)), after: time.Second, wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
			},
			{
				facts: held(nil), after: time.Second, wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
			},
		}},
		"back to Cordon, and on to Drain": {hold: drainertest.Hold{Name: "a", TimeoutSeconds: 10}, steps: []moment{
			{
				facts: held(pendingFacts(4, 4, 3)), wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining, wantProgress: 25,
			},
			{
				facts: held(nil), after: time.Second, spec: drainertest.SetStage(v1beta1.StageCordon),
				wantPhase: v1beta1.PhaseSucceeded, wantCordoned: v1beta1.ReasonCordoned,
				wantDrained: v1beta1.ReasonStageCordon, wantStart: -1,
			},
			{
				facts: held(pendingFacts(3, 3, 3)), after: time.Second,
				spec: drainertest.SetStage(v1beta1.StageDrain), wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining, wantStart: 2,
			},
		}},
		"Idle": {hold: drainertest.Hold{Name: "a", Stage: v1beta1.StageIdle}, steps: []moment{
			{
				facts: Facts{Node: testUID}, wantPhase: v1beta1.PhasePending,
				wantCordoned: v1beta1.ReasonStageIdle, wantDrained: v1beta1.ReasonStageIdle, wantStart: -1,
			},
		}},
		"a node that never was": {hold: drainertest.Hold{Name: "a"}, steps: []moment{
			{
				wantPhase: v1beta1.PhasePending, wantCordoned: v1beta1.ReasonNodeNotFound,
				wantDrained: v1beta1.ReasonNodeNotFound, wantStart: -1,
			},
		}},
		"a node that went, and another that came": {hold: drainertest.Hold{Name: "a"}, steps: []moment{
			{
				facts: held(emptyFacts(3)), wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
			},
			{
				after: time.Second, wantPhase: v1beta1.PhasePending, wantCordoned: v1beta1.ReasonNodeDeleted,
				wantDrained: v1beta1.ReasonNodeDeleted, wantStart: -1,
			},
			{
				facts: Facts{Node: "another", Before: &v1beta1.NodeBefore{Unschedulable: true}},
				after: time.Second, wantPhase: v1beta1.PhaseRunning, wantStart: -1,
			},
		}},
		"another node at once": {hold: drainertest.Hold{Name: "a"}, steps: []moment{
			{
				facts: held(emptyFacts(3)), wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
			},
			{
				facts: Facts{Node: "another", Before: &v1beta1.NodeBefore{}}, after: time.Second,
				wantPhase: v1beta1.PhaseRunning, wantStart: -1,
			},
		}},
		"a cordon that fails": {hold: drainertest.Hold{Name: "a"}, steps: []moment{
			{
				facts: failed, wantPhase: v1beta1.PhaseRunning, wantCordoned: v1beta1.ReasonCordonFailed,
				wantStart: -1, wantError: "forbidden",
			},
			{
				facts: held(pendingFacts(1, 1, 1)), after: time.Second, wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining, wantStart: 1,
				wantError: "forbidden",
			},
			{
				facts: unlisted, after: time.Second, wantPhase: v1beta1.PhaseRunning,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonDraining, wantStart: 1,
				wantError: "no list",
			},
			{
				facts: held(emptyFacts(1)), after: time.Second, wantPhase: v1beta1.PhaseSucceeded,
				wantCordoned: v1beta1.ReasonCordoned, wantDrained: v1beta1.ReasonNodeEmpty, wantProgress: 100,
				wantStart: 1,
			},
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var status v1beta1.NodeMaintenanceStatus
			hold, now := test.hold.Object(), drainertest.Epoch
			for i, s := range test.steps {
				now = now.Add(s.after)
				if s.spec != nil {
					s.spec(hold)
				}
				status = following(NewHold(hold, nil, now), status, s.facts, now)
				s.check(t, i, status)
				again := following(NewHold(hold, nil, now), status, s.facts, now.Add(100*time.Millisecond))
				if !apiequality.Semantic.DeepEqual(status, again) {
					t.Errorf("step %d: the same facts change the status from\n%+v to\n%+v", i, status, again)
				}
			}
		})
	}
}

func (s moment) check(t *testing.T, i int, status v1beta1.NodeMaintenanceStatus) {
	t.Helper()
	start := -1
	if status.StartTime != nil {
		start = int(status.StartTime.Sub(drainertest.Epoch).Seconds())
	}
	type said struct {
		Phase             v1beta1.MaintenancePhase
		Progress          int32
		Start             int
		Error             string
		Cordoned, Drained string
	}
	got := said{
		Phase: status.Phase, Progress: ptr.Deref(status.DrainProgress, 0), Start: start, Error: status.LastError,
		Cordoned: ConditionReason(status, v1beta1.ConditionCordoned),
		Drained:  ConditionReason(status, v1beta1.ConditionDrained),
	}
	want := said{
		Phase: s.wantPhase, Progress: s.wantProgress, Start: s.wantStart, Error: s.wantError,
		Cordoned: s.wantCordoned, Drained: s.wantDrained,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("step %d (-want +got):\n%s", i, diff)
	}
	wantTrue := slices.Contains([]string{v1beta1.ReasonNodeEmpty, v1beta1.ReasonSelectedPodsGone, v1beta1.ReasonNoPodSelected}, s.wantDrained)
	if Drained(status) != wantTrue {
		t.Errorf("step %d: Drained is True for %s", i, s.wantDrained)
	}
	if (status.DrainedTime != nil) != (status.Phase == v1beta1.PhaseSucceeded && wantTrue) {
		t.Errorf("step %d: drainedTime is %v in phase %s", i, status.DrainedTime, status.Phase)
	}
}

// Until the pods are listed, nobody knows whether the node is drained by another spec, too.
func TestDrainedSpeaksOfTheSpecThatWasListed(t *testing.T) {
	hold := drainertest.Hold{Name: "a", SelectApp: "db"}.Object()
	done := following(NewHold(hold, nil, drainertest.Epoch), v1beta1.NodeMaintenanceStatus{}, held(emptyFacts(3)), drainertest.Epoch)
	hold.Spec.Drain.PodSelector, hold.Generation = nil, 2
	restarted := following(NewHold(hold, nil, drainertest.Epoch), done, held(nil), drainertest.Epoch.Add(time.Second))
	if !Drained(restarted) || restarted.ObservedGeneration != 1 {
		t.Errorf("drained=%t of generation %d, want the word of generation 1 left", Drained(restarted),
			restarted.ObservedGeneration)
	}
	// The watch shows nothing, and the list failed: the three pods were those of the drain before.
	begun := following(NewHold(hold, nil, drainertest.Epoch), restarted, held(pendingFacts(0, 3, 0)), drainertest.Epoch.Add(time.Minute))
	if Drained(begun) || begun.ObservedGeneration != 2 || begun.EvictionPods != 0 || ptr.Deref(begun.DrainProgress, 0) != 0 {
		t.Errorf("the next drain begins as %+v, want it of generation 2 with no pod counted", begun)
	}
}

func TestStatusListsAreCappedAndCounted(t *testing.T) {
	f := pendingFacts(300, 300, 250)
	for i := range 30 {
		f.Blockers = append(f.Blockers, v1beta1.DrainBlocker{
			Pod: fmt.Sprintf("default/p%03d", i), Reason: v1beta1.BlockerTerminating, Message: "stuck",
		})
	}
	status := following(holdOf(drainertest.Hold{Name: "a"}), v1beta1.NodeMaintenanceStatus{}, held(f),
		drainertest.Epoch)
	type sizes struct{ Pending, PendingCount, Blockers, BlockedCount int }
	got := sizes{
		len(status.PendingPods), int(status.PendingPodCount), len(status.Blockers), int(status.BlockedPodCount),
	}
	wantSizes := sizes{
		Pending: v1beta1.MaxPendingPods, PendingCount: 250, Blockers: v1beta1.MaxBlockers, BlockedCount: 30,
	}
	if diff := cmp.Diff(wantSizes, got); diff != "" {
		t.Errorf("the lists (-want +got):\n%s", diff)
	}
	blocked := apimeta.FindStatusCondition(status.Conditions, v1beta1.ConditionBlocked)
	want := "default/p000: stuck; default/p001: stuck; default/p002: stuck; and 27 more"
	if blocked.Status != metav1.ConditionTrue || blocked.Reason != string(v1beta1.BlockerTerminating) ||
		blocked.Message != want {
		t.Errorf("Blocked is %+v, want %q", blocked, want)
	}
	status = following(holdOf(drainertest.Hold{Name: "a"}), status, held(pendingFacts(300, 300, 250)),
		drainertest.Epoch)
	if len(status.Blockers) > 0 || status.BlockedPodCount != 0 || apimeta.IsStatusConditionTrue(status.Conditions,
		v1beta1.ConditionBlocked) {
		t.Errorf("still blocked: %+v", status.Blockers)
	}
}

func TestPodCount(t *testing.T) {
	running := v1beta1.NodeMaintenanceStatus{StartTime: ptr.To(metav1.NewTime(drainertest.Epoch))}
	done := v1beta1.NodeMaintenanceStatus{
		EvictionPods: 7,
		Conditions:   []metav1.Condition{{Type: v1beta1.ConditionDrained, Status: metav1.ConditionTrue}},
	}
	interrupted := v1beta1.NodeMaintenanceStatus{
		StartTime: ptr.To(metav1.NewTime(drainertest.Epoch)), EvictionPods: 10, PendingPodCount: 6,
	}
	type moment struct {
		old  v1beta1.NodeMaintenanceStatus
		pods []*corev1.Pod
		back returns.Pods
		want int
		// said is the status after that, if it is not of the same drain with that count.
		said *v1beta1.NodeMaintenanceStatus
	}
	again := v1beta1.NodeMaintenanceStatus{StartTime: ptr.To(metav1.NewTime(drainertest.Epoch.Add(time.Hour)))}
	came := returns.Controller{Object: "Deployment/default/web"}
	a, b, c := drainertest.Pod{
		Name: "a",
	}.Object(), drainertest.Pod{Name: "b"}.Object(), drainertest.Pod{Name: "c"}.Object()
	tests := map[string][]moment{
		"counts those that came and went": {
			{pods: []*corev1.Pod{a, b}, want: 2},
			{old: running, pods: []*corev1.Pod{b}, want: 2},
			{old: running, pods: []*corev1.Pod{b, c}, want: 3},
			{old: running, want: 3},
		},
		"counts those that come back again and again once": {
			{pods: []*corev1.Pod{a}, want: 1},
			{old: running, pods: []*corev1.Pod{a, b}, back: returns.Pods{b.UID: came}, want: 2},
			{old: running, pods: []*corev1.Pod{c}, back: returns.Pods{c.UID: came}, want: 2},
			{old: running, pods: []*corev1.Pod{b, c}, back: returns.Pods{b.UID: came, c.UID: came}, want: 3},
			{old: running, pods: []*corev1.Pod{c}, back: returns.Pods{c.UID: came}, want: 3},
		},
		"goes on after a restart": {
			{old: interrupted, pods: []*corev1.Pod{a, b}, want: 10},
			{old: interrupted, pods: []*corev1.Pod{a, b, c}, want: 11},
		},
		"more came while nobody counted": {{
			old: v1beta1.NodeMaintenanceStatus{
				StartTime: ptr.To(metav1.NewTime(drainertest.Epoch)), EvictionPods: 4, PendingPodCount: 1,
			},
			pods: []*corev1.Pod{a, b, c}, want: 6,
		}},
		"a drained node keeps its count":  {{old: done, want: 7}},
		"a late pod starts another count": {{old: done, pods: []*corev1.Pod{a}, want: 1}},
		"a drain that begins anew before the watch shows its pods": {
			{old: running, pods: []*corev1.Pod{a, b}, want: 2},
			{old: done, want: 7, said: &again},
			{old: again, pods: []*corev1.Pod{c}, want: 1},
		},
		"a restart before anything was written": {{old: running, pods: []*corev1.Pod{a, b}, want: 2}},
	}
	for name, moments := range tests {
		t.Run(name, func(t *testing.T) {
			var counter podCount
			for i, m := range moments {
				if got := counter.Count(m.old, m.pods, m.back); got != m.want {
					t.Errorf("moment %d: %d pods, want %d", i, got, m.want)
				}
				said := v1beta1.NodeMaintenanceStatus{StartTime: running.StartTime, EvictionPods: int32(m.want)}
				if m.said != nil {
					said = *m.said
				}
				counter.CountedFor(said)
			}
		})
	}
}

// Whoever holds the node is told that somebody undid a part of its cordon, and others are told whom to ask.
func TestDriftRepairedNamesTheHolds(t *testing.T) {
	a, b := holdOf(drainertest.Hold{Name: "a"}), holdOf(drainertest.Hold{Name: "b"})
	got := NodeCordoned{Node: "worker-1", Holds: []Hold{a, b}, Changes: []string{"made unschedulable"}, Repair: true}.Events()
	want := "node worker-1 is held by a (a), b (b), and somebody changed that: made unschedulable again"
	if len(got) != 1 || got[0].Reason != EventDriftRepaired || got[0].Node != "worker-1" || len(got[0].Holds) != 2 || got[0].Message != want {
		t.Errorf("events %+v, want one on the node and on both holds: %q", got, want)
	}
}

func TestStatusEvents(t *testing.T) {
	h := holdOf(drainertest.Hold{Name: "a"})
	before := &v1beta1.NodeBefore{}
	recorded := following(h, v1beta1.NodeMaintenanceStatus{}, Facts{
		Node: testUID, Before: before,
	}, drainertest.Epoch)
	running := following(h, recorded, held(pendingFacts(1, 1, 1)), drainertest.Epoch)
	done := following(h, running, held(emptyFacts(1)), drainertest.Epoch)
	late := holdOf(drainertest.Hold{Name: "a", TimeoutSeconds: 1})
	tests := map[string]struct {
		old, next v1beta1.NodeMaintenanceStatus
		want      []string
	}{
		"begun":       {next: recorded, want: []string{EventMaintenanceStarted}},
		"cordoned":    {old: recorded, next: running},
		"nothing new": {old: running, next: running},
		"drained":     {old: running, next: done, want: []string{EventDrainSucceeded}},
		"drained again": {
			old: done, next: following(h, done, held(pendingFacts(1, 1, 1)), drainertest.Epoch),
			want: []string{EventDrainRestarted},
		},
		"too late": {
			old:  running,
			next: following(late, running, held(pendingFacts(1, 1, 1)), drainertest.Epoch.Add(time.Hour)),
			want: []string{EventDrainTimedOut},
		},
		"no node": {
			next: following(h, v1beta1.NodeMaintenanceStatus{}, Facts{}, drainertest.Epoch),
			want: []string{EventNodeNotFound},
		},
		"node deleted": {
			old: running, next: following(h, running, Facts{}, drainertest.Epoch),
			want: []string{EventNodeDeleted},
		},
		"node replaced": {
			old: done, next: following(h, done, Facts{Node: "another", Before: before}, drainertest.Epoch),
			want: []string{EventNodeReplaced},
		},
		"cordon failed": {
			old:  recorded,
			next: following(h, recorded, Facts{Node: testUID, Before: before, CordonError: "no"}, drainertest.Epoch),
			want: []string{EventCordonFailed},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, found := range (StatusWritten{Hold: h, Old: test.old, Next: test.next}).Events() {
				got = append(got, found.Reason)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("events %v, want %v", got, test.want)
			}
		})
	}
}
