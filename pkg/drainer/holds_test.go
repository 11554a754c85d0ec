// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestUnionOfHolds(t *testing.T) {
	web, db := makePod("web-1"), makePod("db-1", app("db"))
	tests := map[string]struct {
		holds      []*v1beta1.NodeMaintenance
		wantStage  v1beta1.MaintenanceStage
		wantDrains []*corev1.Pod
		// wantGrace is of pod web; nil is the pod's own.
		wantGrace *int64
	}{
		"none": {wantStage: v1beta1.StageIdle},
		"one drains all": {
			holds: []*v1beta1.NodeMaintenance{makeHold("a")}, wantStage: v1beta1.StageDrain, wantDrains: []*corev1.Pod{web, db},
		},
		"the highest stage counts": {
			holds:     []*v1beta1.NodeMaintenance{makeHold("a", stage(v1beta1.StageIdle)), makeHold("b", stage(v1beta1.StageCordon))},
			wantStage: v1beta1.StageCordon,
		},
		"released holds do not count": {
			holds:     []*v1beta1.NodeMaintenance{makeHold("a", released), makeHold("b", stage(v1beta1.StageCordon))},
			wantStage: v1beta1.StageCordon,
		},
		"a selector narrows its own hold only": {
			holds:      []*v1beta1.NodeMaintenance{makeHold("a", selecting("db")), makeHold("b", stage(v1beta1.StageCordon))},
			wantStage:  v1beta1.StageDrain,
			wantDrains: []*corev1.Pod{db},
		},
		"selectors add up": {
			holds:      []*v1beta1.NodeMaintenance{makeHold("a", selecting("db")), makeHold("b", selecting("web"))},
			wantStage:  v1beta1.StageDrain,
			wantDrains: []*corev1.Pod{web, db},
		},
		"an empty selector selects all": {
			holds: []*v1beta1.NodeMaintenance{makeHold("a", func(h *v1beta1.NodeMaintenance) {
				h.Spec.Drain.PodSelector = &metav1.LabelSelector{}
			})},
			wantStage: v1beta1.StageDrain, wantDrains: []*corev1.Pod{web, db},
		},
		"a selector that cannot be used selects nothing": {
			holds: []*v1beta1.NodeMaintenance{makeHold("a", func(h *v1beta1.NodeMaintenance) {
				h.Spec.Drain.PodSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "x", Operator: "?"}}}
			})},
			wantStage: v1beta1.StageDrain,
		},
		"the longest grace of those that drain the pod": {
			holds: []*v1beta1.NodeMaintenance{
				makeHold("a", grace(10)), makeHold("b", grace(20)), makeHold("c"),
				makeHold("d", grace(90), selecting("db")), makeHold("e", grace(99), stage(v1beta1.StageCordon)),
			},
			wantStage: v1beta1.StageDrain, wantDrains: []*corev1.Pod{web, db}, wantGrace: ptrTo(int64(20)),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			active, _ := newHolds(test.holds)
			if got := unionStage(active); got != test.wantStage {
				t.Errorf("stage %s, want %s", got, test.wantStage)
			}
			pods := []*corev1.Pod{web, db}
			plan := makePlan(planInput{node: testNode, pods: pods, drainable: sets.New(web.UID, db.UID), holds: active, budgets: makeBook(), now: epoch})
			for i, pod := range pods {
				if got, want := plan.pods[i].action == v1beta1.PlanEvict, slices.Contains(test.wantDrains, pod); got != want {
					t.Errorf("pod %s is drained: %t, want %t", pod.Name, got, want)
				}
			}
			got := plan.pods[0].gracePeriod
			if (got == nil) != (test.wantGrace == nil) || (got != nil && *got != *test.wantGrace) {
				t.Errorf("grace period %v, want %v", got, test.wantGrace)
			}
		})
	}
}
