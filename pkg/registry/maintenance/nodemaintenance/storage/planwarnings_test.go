// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// disagreement is a pod that some holds evict and others block.
func disagreement(pod string, evicting, blocking []string) v1beta1.PlannedPod {
	holds := func(names []string) (holds []v1beta1.PlannedHold) {
		for _, name := range names {
			holds = append(holds, v1beta1.PlannedHold{Name: name, Requestor: "of-" + name})
		}
		return holds
	}
	return v1beta1.PlannedPod{Pod: pod, Action: v1beta1.PlanEvict, EvictingHolds: holds(evicting), BlockingHolds: holds(blocking)}
}

func TestPlanWarnings(t *testing.T) {
	this, names := []string{"this"}, func(names ...string) []string { return names }
	tests := map[string]struct {
		plan v1beta1.DrainPlanStatus
		want []string
	}{
		"nothing": {},
		"blocked for good": {
			plan: v1beta1.DrainPlanStatus{PermanentlyBlockedPods: names("a/1", "a/3", "a/4", "a/5")},
			want: names(`pods of node "worker-1" cannot leave it, however long you wait: 4 (a/1, a/3, a/4 and 1 more); status.plan says why, and what to do`),
		},
		"pods that ask to stay": {
			plan: v1beta1.DrainPlanStatus{DoNotDisruptPods: names("a/1", "a/2")},
			want: names(`pods of node "worker-1" are evicted although their annotations ask not to disrupt them: 2 (a/1, a/2); ` +
				`to leave them on the node, add a rule with podAnnotations and the action Skip`),
		},
		"pods with a wrong label": {
			plan: v1beta1.DrainPlanStatus{MislabeledPods: names("a/1")},
			want: names(`pods of node "worker-1" are evicted although they have the label cluster.x-k8s.io/drain, whose value means nothing: 1 (a/1); ` +
				`use skip or wait-completed`),
		},
		"pods that come back": {
			plan: v1beta1.DrainPlanStatus{ReturningPods: names("a/1")},
			want: names(`pods of node "worker-1" will come back, so that it is never drained: 1 (a/1): their controllers put them on this node ` +
				`whether it is cordoned or not: remove that, scale them down, or leave these pods alone with action Skip in spec.drain.rules`),
		},
		"pods that can run nowhere else": {
			plan: v1beta1.DrainPlanStatus{UnschedulablePods: names("a/1")},
			want: names(`pods of node "worker-1" can run on no other node, so that they are Pending from their eviction until it is back in service: ` +
				`1 (a/1): their volumes are only there, or they select it: to keep them running, leave them alone with action Skip in spec.drain.rules`),
		},
		"another hold blocks what this one evicts": {
			plan: v1beta1.DrainPlanStatus{Pods: []v1beta1.PlannedPod{
				disagreement("a/1", this, names("x")), disagreement("a/2", this, names("x", "y")), disagreement("a/3", names("z"), names("x")),
			}},
			want: names(`hold "x" of "of-x" blocks pods of node "worker-1" that this hold evicts all the same: 2 (a/1, a/2)`,
				`hold "y" of "of-y" blocks pods of node "worker-1" that this hold evicts all the same: 1 (a/2)`),
		},
		"another hold evicts what this one blocks": {
			plan: v1beta1.DrainPlanStatus{Pods: []v1beta1.PlannedPod{disagreement("a/1", names("x"), this), disagreement("a/2", names("x", "y"), this)}},
			want: names(`Block of this hold does not protect pods from hold "x" of "of-x", which evicts them from node "worker-1": 2 (a/1, a/2)`,
				`Block of this hold does not protect pods from hold "y" of "of-y", which evicts them from node "worker-1": 1 (a/2)`),
		},
		"of many holds, those with the most pods": {
			plan: v1beta1.DrainPlanStatus{Pods: []v1beta1.PlannedPod{
				disagreement("a/1", names("v", "w", "x", "y"), this), disagreement("a/2", names("y"), this),
			}},
			want: names(`Block of this hold does not protect pods from hold "y" of "of-y", which evicts them from node "worker-1": 2 (a/1, a/2)`,
				`Block of this hold does not protect pods from hold "v" of "of-v", which evicts them from node "worker-1": 1 (a/1)`,
				`Block of this hold does not protect pods from hold "w" of "of-w", which evicts them from node "worker-1": 1 (a/1)`),
		},
		"others disagree": {
			plan: v1beta1.DrainPlanStatus{Pods: []v1beta1.PlannedPod{disagreement("a/1", names("x"), names("y"))}},
		},
	}
	storage := newTestStorage(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			storage.planner.plan = &test.plan
			_, warnings := storage.create(t, alice, newHold("this", "worker-1"), dryRun...)
			wantStrings(t, "warnings", warnings, test.want...)
		})
	}
}

// An update tells of the drain as a create does, if it changes the drain or only tries to.
func TestPlanOfAnUpdate(t *testing.T) {
	lossy := &v1beta1.DrainPlanStatus{EvictionPods: 1, UnmanagedPods: []string{"a/1"}}
	inAnswer := &v1beta1.DrainPlanStatus{EvictionPods: 1, UnmanagedPods: []string{"a/1"}}
	warning := `pods of node "worker-1" that no controller creates again are evicted: 1 (a/1)`
	relabel := func(hold *v1beta1.NodeMaintenance) { hold.Labels = map[string]string{"a": "b"} }
	setStage := func(stage v1beta1.MaintenanceStage) func(*v1beta1.NodeMaintenance) {
		return func(hold *v1beta1.NodeMaintenance) { hold.Spec.Stage = stage }
	}
	block := func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.EmptyDirPods = v1beta1.PolicyBlock }
	tests := map[string]struct {
		stage  v1beta1.MaintenanceStage
		change func(*v1beta1.NodeMaintenance)
		dryRun []string

		wantAsked    []bool
		wantPlan     *v1beta1.DrainPlanStatus
		wantWarnings []string
	}{
		"drain that begins":            {stage: v1beta1.StageCordon, change: setStage(v1beta1.StageDrain), wantAsked: []bool{false}, wantWarnings: []string{warning}},
		"drain that changes":           {stage: v1beta1.StageDrain, change: block, wantAsked: []bool{false}, wantWarnings: []string{warning}},
		"drain that pauses":            {stage: v1beta1.StageDrain, change: setStage(v1beta1.StageCordon)},
		"drain that stays as it is":    {stage: v1beta1.StageDrain, change: relabel},
		"cordon that stays as it is":   {stage: v1beta1.StageCordon, change: relabel},
		"dry run":                      {stage: v1beta1.StageCordon, change: setStage(v1beta1.StageDrain), dryRun: dryRun, wantAsked: []bool{true}, wantPlan: inAnswer, wantWarnings: []string{warning}},
		"dry run that changes nothing": {stage: v1beta1.StageDrain, change: relabel, dryRun: dryRun, wantAsked: []bool{true}, wantPlan: inAnswer, wantWarnings: []string{warning}},
	}
	storage := newTestStorage(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			hold := newHold("a", "worker-1")
			hold.Spec.Stage = test.stage
			storage.planner.plan = &v1beta1.DrainPlanStatus{}
			storage.create(t, alice, hold)
			defer storage.remove(t, "a")
			storage.planner.plan, storage.planner.asked = lossy, nil
			updated, warnings := storage.updateAs(t, alice, "a", test.dryRun, test.change)
			if diff := cmp.Diff(test.wantPlan, updated.Status.Plan); diff != "" {
				t.Errorf("plan differs (-want +got):\n%s", diff)
			}
			wantStrings(t, "warnings", warnings, test.wantWarnings...)
			if !slices.Equal(storage.planner.asked, test.wantAsked) {
				t.Errorf("asked for fresh plans: %v, want %v", storage.planner.asked, test.wantAsked)
			}
		})
	}
}
