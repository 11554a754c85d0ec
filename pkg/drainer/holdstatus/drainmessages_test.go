// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/returns"
)

// What the condition Drained says is read by people who switch the node off next.
func TestDrainedSaysWhatIsLeft(t *testing.T) {
	skipping := []v1beta1.DrainRule{drainertest.AppRule("db", v1beta1.ActionSkip, 0)}
	pending := pendingFacts(9, 9, 7)
	pending.Turns = plan.Turns{First: []string{"default/db-0", "default/db-1"}, Later: 5, Last: 2}
	turns := pendingFacts(9, 9, 7)
	turns.Turns = plan.Turns{First: []string{"a/1", "a/2", "a/3", "a/4"}, Later: 1, Last: 4}
	tests := map[string]struct {
		hold drainertest.Hold
		f    *HoldDrain

		wantReason, want string
		wantSkipped      int32
	}{
		"nothing": {f: emptyFacts(3), wantReason: v1beta1.ReasonNodeEmpty, want: "nothing that a drain evicts is left on node worker-1"},
		"a selector that matches nothing": {
			hold: drainertest.Hold{SelectApp: "typo"}, f: leavingFacts(0, 14), wantReason: v1beta1.ReasonNoPodSelected, wantSkipped: 14,
			want: "nothing to evict: spec.drain.podSelector selects 0 of 14 pods, and 14 pods are still on node worker-1",
		},
		"rules that skip the only pod": {
			hold: drainertest.Hold{Rules: skipping}, f: leavingFacts(0, 1), wantReason: v1beta1.ReasonNoPodSelected, wantSkipped: 1,
			want: "nothing to evict: spec.drain selects 0 of 1 pod, and 1 pod is still on node worker-1",
		},
		"others than the selected": {
			hold: drainertest.Hold{SelectApp: "db"}, f: leavingFacts(3, 11), wantReason: v1beta1.ReasonSelectedPodsGone, wantSkipped: 11,
			want: "3 pods left node worker-1; 11 others are still there: spec.drain.podSelector does not select them",
		},
		"a pod that its label skips": {
			f: leavingFacts(1, 1), wantReason: v1beta1.ReasonSelectedPodsGone, wantSkipped: 1,
			want: "1 pod left node worker-1; 1 other is still there: spec.drain does not select it",
		},
		"pods whose turn has not come": {
			f: pending, wantReason: v1beta1.ReasonDraining,
			want: "7 of 9 pods are still to leave; turn 2 (5 pods) waits for turn 1: default/db-0, default/db-1",
		},
		"several turns": {
			f: turns, wantReason: v1beta1.ReasonDraining,
			want: "7 of 9 pods are still to leave; turns 2 to 4 (1 pod) wait for turn 1: a/1, a/2, a/3 and 1 more",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.hold.Name = "a"
			status := following(holdOf(test.hold), v1beta1.NodeMaintenanceStatus{}, held(test.f), drainertest.Epoch)
			if got := ConditionMessage(status, v1beta1.ConditionDrained); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if got := ConditionReason(status, v1beta1.ConditionDrained); got != test.wantReason || status.SkippedPodCount != test.wantSkipped {
				t.Errorf("reason %s, %d skipped; want %s, %d", got, status.SkippedPodCount, test.wantReason, test.wantSkipped)
			}
		})
	}
}

func TestProgressIsThereWhereADrainIsAskedFor(t *testing.T) {
	tests := map[string]struct {
		stage v1beta1.MaintenanceStage
		facts Facts
		want  *int32
	}{
		"Idle":                     {stage: v1beta1.StageIdle, facts: Facts{Node: testUID}},
		"Cordon":                   {stage: v1beta1.StageCordon, facts: held(nil)},
		"Cordon, no such node":     {stage: v1beta1.StageCordon},
		"Drain, no such node":      {stage: v1beta1.StageDrain, want: ptr.To[int32](0)},
		"Drain, not cordoned yet":  {stage: v1beta1.StageDrain, facts: Facts{Node: testUID, Before: &v1beta1.NodeBefore{}}, want: ptr.To[int32](0)},
		"Drain, pods not known":    {stage: v1beta1.StageDrain, facts: held(nil), want: ptr.To[int32](0)},
		"Drain, nothing gone yet":  {stage: v1beta1.StageDrain, facts: held(pendingFacts(2, 2, 2)), want: ptr.To[int32](0)},
		"Drain, nothing to evict":  {stage: v1beta1.StageDrain, facts: held(emptyFacts(0)), want: ptr.To[int32](100)},
		"Drain, half of them gone": {stage: v1beta1.StageDrain, facts: held(pendingFacts(2, 2, 1)), want: ptr.To[int32](50)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			status := following(holdOf(drainertest.Hold{Name: "a", Stage: test.stage}), v1beta1.NodeMaintenanceStatus{}, test.facts, drainertest.Epoch)
			if !ptr.Equal(status.DrainProgress, test.want) {
				t.Errorf("progress is %v, want %v", ptr.Deref(status.DrainProgress, -1), ptr.Deref(test.want, -1))
			}
		})
	}
}

// Once a hold is to have its node cordoned, its conditions do not say any more why it has not, however long the cordon takes.
func TestStatusBeforeTheCordon(t *testing.T) {
	tests := map[string]struct {
		before, now v1beta1.MaintenanceStage
		wantDrained string
	}{
		"it was Idle":                {before: v1beta1.StageIdle, now: v1beta1.StageDrain},
		"it waited":                  {before: v1beta1.StageDrain, now: v1beta1.StageDrain},
		"its drain is still to wait": {before: v1beta1.StageDrain, now: v1beta1.StageCordon, wantDrained: v1beta1.ReasonNotAdmitted},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			waits := NewHold(drainertest.Hold{Name: "a", Stage: test.before}.Object(), nil, now)
			waits.Stage = v1beta1.StageIdle
			h := NewHold(drainertest.Hold{Name: "a"}.Object(), nil, now)
			h.Stage = test.now
			said := following(waits, v1beta1.NodeMaintenanceStatus{}, Facts{Node: testUID}, now)
			if said.Conditions == nil {
				t.Fatal("it says nothing while it waits")
			}
			next := following(h, said, Facts{Node: testUID, Before: &v1beta1.NodeBefore{}}, now)
			cordoned, drained := ConditionReason(next, v1beta1.ConditionCordoned), ConditionReason(next, v1beta1.ConditionDrained)
			if cordoned != "" || drained != test.wantDrained {
				t.Errorf("Cordoned says %q and Drained %q, want %q and %q", cordoned, drained, "", test.wantDrained)
			}
		})
	}
}

// A pod is counted once, even if it looks like one that came back only now and then.
func TestPodIsCountedOnce(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "web-1"}}
	none, back := returns.Pods{}, returns.Pods{pod.UID: {Object: "ReplicaSet/default/web"}}
	tests := map[string][]returns.Pods{
		"found out later": {none, back},
		"forgotten":       {back, none},
		"both":            {none, back, none, back},
	}
	for name, looks := range tests {
		count := newPodCount(0)
		for _, look := range looks {
			count.add([]*corev1.Pod{pod}, look)
		}
		if got := count.total(); got != 1 {
			t.Errorf("%s: one pod is counted as %d", name, got)
		}
	}
}
