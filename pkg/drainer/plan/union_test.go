// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/eviction"
)

// late marks a hold as past its deadline, with what is left to be deleted.
func late(h Hold) Hold {
	h.Deletes = true
	return h
}

func TestPlanForSeveralPods(t *testing.T) {
	type want struct {
		action v1beta1.PlannedAction
		turn   int
		now    bool
		grace  int64
	}
	evictNow := want{action: v1beta1.PlanEvict, turn: 1, now: true}
	stays := want{action: v1beta1.PlanStay}
	ordered := []v1beta1.DrainRule{
		drainertest.AppRule("first", v1beta1.ActionDrain, -1),
		drainertest.AppRule("last", v1beta1.ActionDrain, 1),
		drainertest.AppRule("job", v1beta1.ActionWaitCompleted, 0),
	}
	tests := map[string]struct {
		holds []Hold
		pods  []drainertest.Pod
		want  []want
		toGo  int
	}{
		"in turns": {
			holds: []Hold{NewHold(drainertest.Hold{Name: "a", Rules: ordered}.Object())},
			pods: []drainertest.Pod{
				{Name: "c", Priority: ptr.To[int32](systemCriticalPriority)},
				{Name: "f", App: "first"},
				{Name: "l", App: "last"},
				{Name: "p"},
			},
			want: []want{
				{action: v1beta1.PlanEvict, turn: 3},
				evictNow,
				{action: v1beta1.PlanEvict, turn: 4},
				{action: v1beta1.PlanEvict, turn: 2},
			},
			toGo: 4,
		},
		"a turn lasts until its pods are gone": {
			holds: []Hold{NewHold(drainertest.Hold{Name: "a", Rules: ordered}.Object())},
			pods:  []drainertest.Pod{{Name: "f", App: "first", TerminatingAt: drainertest.Epoch}, {Name: "p"}},
			want:  []want{{action: v1beta1.PlanTerminating}, {action: v1beta1.PlanEvict, turn: 2}},
			toGo:  1,
		},
		"what runs to its end holds nobody back": {
			holds: []Hold{NewHold(drainertest.Hold{Name: "a", Rules: ordered}.Object())},
			pods:  []drainertest.Pod{{Name: "j", App: "job"}, {Name: "l", App: "last"}},
			want:  []want{{action: v1beta1.PlanWaitCompleted}, evictNow},
			toGo:  1,
		},
		"what somebody has to remove holds back the later turns": {
			holds: []Hold{NewHold(drainertest.Hold{Name: "a", Rules: ordered, Blocking: true}.Object())},
			pods:  []drainertest.Pod{{Name: "b", Unmanaged: true}, {Name: "l", App: "last"}, {Name: "p"}},
			want:  []want{{action: v1beta1.PlanBlock}, {action: v1beta1.PlanEvict, turn: 2}, evictNow},
			toGo:  2,
		},
		"another hold adds and does not hold back": {
			holds: []Hold{
				NewHold(drainertest.Hold{Name: "a", Rules: ordered}.Object()),
				NewHold(drainertest.Hold{
					Name: "b", Rules: []v1beta1.DrainRule{drainertest.AppRule("first", v1beta1.ActionSkip, 0)},
				}.Object()),
			},
			pods: []drainertest.Pod{{Name: "f", App: "first"}, {Name: "j", App: "job"}, {Name: "p"}},
			want: []want{evictNow, evictNow, evictNow},
			toGo: 3,
		},
		"all skip it": {
			holds: []Hold{
				NewHold(drainertest.Hold{
					Name: "a", Rules: []v1beta1.DrainRule{drainertest.AppRule("web", v1beta1.ActionSkip, 0)},
				}.Object()),
				NewHold(drainertest.Hold{Name: "b", SelectApp: "db"}.Object()),
			},
			pods: []drainertest.Pod{{Name: "p"}},
			want: []want{stays},
		},
		"past the deadline all goes at once": {
			holds: []Hold{late(NewHold(drainertest.Hold{
				Name: "a", Rules: ordered, Blocking: true, GracePeriodSeconds: 7,
			}.Object()))},
			pods: []drainertest.Pod{
				{Name: "b", Unmanaged: true},
				{Name: "j", App: "job"},
				{Name: "l", App: "last"},
				{Name: "s", DrainLabel: "skip"},
			},
			want: []want{
				{action: v1beta1.PlanBlock},
				{action: v1beta1.PlanDelete, now: true, grace: 7},
				{action: v1beta1.PlanDelete, turn: 2, now: true, grace: 7},
				stays,
			},
		},
		"past the deadline of one hold": {
			holds: []Hold{
				late(NewHold(drainertest.Hold{Name: "a", SelectApp: "db"}.Object())),
				NewHold(drainertest.Hold{Name: "b"}.Object()),
			},
			pods: []drainertest.Pod{{Name: "d", App: "db", GracePeriodSeconds: ptr.To[int64](0)}, {Name: "p"}},
			want: []want{{action: v1beta1.PlanDelete, turn: 1, now: true, grace: 1}, evictNow},
			toGo: 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pods := drainertest.Objects(test.pods)
			plan := Make(Input{
				Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Holds: test.holds,
				Budgets: snapshot(), Now: drainertest.Epoch,
			})
			evictions := map[string]eviction.Eviction{}
			for _, e := range plan.Evictions() {
				evictions[e.Pod.Name] = e
			}
			for i, pod := range plan.Pods {
				e, now := evictions[pod.Pod.Name]
				got := want{action: pod.Action, turn: pod.turn, now: now}
				if e.GracePeriodSeconds != nil {
					got.grace = *e.GracePeriodSeconds
				}
				if got != test.want[i] {
					t.Errorf("pod %s: %+v, want %+v", pod.Pod.Name, got, test.want[i])
				}
				if now && e.Force != (pod.Action == v1beta1.PlanDelete) {
					t.Errorf("pod %s is deleted: %t", pod.Pod.Name, e.Force)
				}
			}
			if got := plan.ToGo(); got != test.toGo {
				t.Errorf("%d to go, want %d", got, test.toGo)
			}
		})
	}
}

// Blockers are each hold's own: what one waits for is nothing to another that does not.
func TestBlockersOfEachHold(t *testing.T) {
	pods := drainertest.Objects([]drainertest.Pod{
		{Name: "bare", Unmanaged: true}, {Name: "job", App: "job"}, {Name: "last", App: "last"}, {Name: "web"},
	})
	holds := []Hold{
		NewHold(drainertest.Hold{Name: "a"}.Object()),
		NewHold(drainertest.Hold{
			Name: "b", Blocking: true,
			Rules: []v1beta1.DrainRule{
				drainertest.AppRule("job", v1beta1.ActionWaitCompleted, 0),
				drainertest.AppRule("last", v1beta1.ActionDrain, 1),
			},
		}.Object()),
	}
	plan := Make(Input{
		Node: drainertest.NodeName, Pods: pods, Drainable: uidsOf(pods), Holds: holds, Now: drainertest.Epoch,
		Budgets: snapshot(drainertest.Budget{
			Name: "x", App: "last", Desired: 1, Healthy: 1, Expected: 1,
		}, drainertest.Budget{Name: "y", Desired: 2, Healthy: 2, Expected: 3}),
	})
	want := map[string]string{
		"a": "default/bare:DisruptionBudget default/last:DisruptionBudget default/web:DisruptionBudget",
		"b": "default/bare:UnmanagedPod default/job:WaitingForCompletion default/web:DisruptionBudget",
	}
	for _, h := range holds {
		progress := plan.ProgressOf(h)
		var got []string
		for _, b := range progress.Blockers {
			got = append(got, b.Pod+":"+string(b.Reason))
		}
		if joined := strings.Join(got, " "); joined != want[h.Name] {
			t.Errorf("hold %s is blocked by %s, want %s", h.Name, joined, want[h.Name])
		}
	}
}
