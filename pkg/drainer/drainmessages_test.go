// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
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
		f    *holdDrain

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
			if got := conditionMessage(status, v1beta1.ConditionDrained); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if got := conditionReason(status, v1beta1.ConditionDrained); got != test.wantReason || status.SkippedPodCount != test.wantSkipped {
				t.Errorf("reason %s, %d skipped; want %s, %d", got, status.SkippedPodCount, test.wantReason, test.wantSkipped)
			}
		})
	}
}

// Pods come and go after the drain, and its status follows them.
func TestSkippedPodsAreCountedAfterTheDrain(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "db", App: "db"}.Object(),
		drainertest.Pod{Name: "web-1", App: "web"}.Object(), drainertest.Pod{Name: "web-2", App: "web"}.Object(),
	), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", SelectApp: "db"}.Object())
		c.finish("db")
		wantSkipped := func(want int32, reason string) {
			t.Helper()
			c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionTrue, reason)
			if got := c.hold("a").Status.SkippedPodCount; got != want {
				t.Errorf("%d pods are skipped, want %d", got, want)
			}
		}
		wantSkipped(2, v1beta1.ReasonSelectedPodsGone)
		c.finish("web-1")
		c.wait(writeInterval)
		wantSkipped(1, v1beta1.ReasonSelectedPodsGone)
		c.finish("web-2")
		c.wait(writeInterval)
		wantSkipped(0, v1beta1.ReasonNodeEmpty)
		c.Add(drainertest.Pod{Name: "web-3", App: "web"}.Object())
		c.wait(writeInterval)
		wantSkipped(1, v1beta1.ReasonSelectedPodsGone)
		if got := conditionOf(c.node(drainertest.NodeName), corev1.NodeDrained); got != corev1.ConditionFalse {
			t.Errorf("the node's condition Drained is %s with a pod on it", got)
		}
		c.create(drainertest.Hold{Name: "b"}.Object())
		c.finish("web-3")
		c.wait(writeInterval)
		wantSkipped(0, v1beta1.ReasonNodeEmpty)
		c.wantEvictions(map[string]int{"db": 1, "web-1": 0, "web-3": 1})
	})
}

func conditionOf(node *corev1.Node, kind corev1.NodeConditionType) corev1.ConditionStatus {
	for _, c := range node.Status.Conditions {
		if c.Type == kind {
			return c.Status
		}
	}
	return ""
}

func TestProgressIsThereWhereADrainIsAskedFor(t *testing.T) {
	tests := map[string]struct {
		stage v1beta1.MaintenanceStage
		facts facts
		want  *int32
	}{
		"Idle":                     {stage: v1beta1.StageIdle, facts: facts{node: testUID}},
		"Cordon":                   {stage: v1beta1.StageCordon, facts: held(nil)},
		"Cordon, no such node":     {stage: v1beta1.StageCordon},
		"Drain, no such node":      {stage: v1beta1.StageDrain, want: ptr.To[int32](0)},
		"Drain, not cordoned yet":  {stage: v1beta1.StageDrain, facts: facts{node: testUID, before: &v1beta1.NodeBefore{}}, want: ptr.To[int32](0)},
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
