// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestPlan(t *testing.T) {
	planned := &v1beta1.DrainPlanStatus{EvictionPods: 1, Pods: []v1beta1.PlannedPod{
		{Pod: "default/web", Action: v1beta1.PlanEvict, Turn: 1, Blocker: &v1beta1.DrainBlocker{Pod: "default/web", Reason: v1beta1.BlockerDisruptionBudget}},
	}}
	inAnswer := &v1beta1.DrainPlanStatus{EvictionPods: 1, Pods: []v1beta1.PlannedPod{
		{Pod: "default/web", Action: "Evict", Turn: 1, Blocker: &v1beta1.DrainBlocker{Pod: "default/web", Reason: "DisruptionBudget"}},
	}}
	losses := &v1beta1.DrainPlanStatus{UnmanagedPods: []string{"a/1", "a/2", "a/3", "a/4"}, EmptyDirPods: []string{"b/1"}}
	lossWarnings := []string{
		`pods of node "worker-1" that no controller creates again are evicted: 4 (a/1, a/2, a/3 and 1 more)`,
		`pods of node "worker-1" lose the data of their emptyDir volumes: 1 (b/1)`,
	}
	returning := &v1beta1.DrainPlanStatus{ReturningPods: []string{"a/1"}}
	returnWarning := `pods of node "worker-1" will come back, so that it is never drained: 1 (a/1): ` +
		`their controllers put them on this node whether it is cordoned or not: remove that, scale them down, ` +
		`or leave these pods alone with action Skip in spec.drain.rules`
	stuck := &v1beta1.DrainPlanStatus{PermanentlyBlockedPods: []string{"a/1"}}
	stuckWarning := `pods of node "worker-1" cannot leave it, however long you wait: 1 (a/1); status.blockers says why, and what to do`
	tests := map[string]struct {
		plan   *v1beta1.DrainPlanStatus
		err    error
		stage  v1beta1.MaintenanceStage
		dryRun []string

		wantAsked    []bool
		wantPlan     *v1beta1.DrainPlanStatus
		wantWarnings []string
	}{
		"create":                      {plan: planned, stage: v1beta1.StageDrain, wantAsked: []bool{false}},
		"create that evicts nothing":  {plan: losses, stage: v1beta1.StageCordon},
		"create that loses something": {plan: losses, stage: v1beta1.StageDrain, wantAsked: []bool{false}, wantWarnings: lossWarnings},
		"create of a drain that never ends": {
			plan: returning, stage: v1beta1.StageDrain, wantAsked: []bool{false}, wantWarnings: []string{returnWarning},
		},
		"create of a drain that is blocked": {
			plan: stuck, stage: v1beta1.StageDrain, wantAsked: []bool{false}, wantWarnings: []string{stuckWarning},
		},
		"create without a plan": {err: errors.New("boom"), stage: v1beta1.StageDrain, wantAsked: []bool{false}},
		"dry run":               {plan: planned, stage: v1beta1.StageDrain, dryRun: dryRun, wantAsked: []bool{true}, wantPlan: inAnswer},
		"dry run of a cordon":   {plan: planned, stage: v1beta1.StageCordon, dryRun: dryRun, wantAsked: []bool{true}, wantPlan: inAnswer},
		"dry run without a plan": {
			err: errors.New("boom"), stage: v1beta1.StageDrain, dryRun: dryRun, wantAsked: []bool{true}, wantWarnings: []string{"status.plan is missing: boom"},
		},
	}
	storage := newTestStorage(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			storage.planner.plan, storage.planner.err, storage.planner.asked = test.plan, test.err, nil
			hold := newHold("a", "worker-1")
			hold.Spec.Stage = test.stage
			created, warnings := storage.create(t, alice, hold, test.dryRun...)
			if diff := cmp.Diff(test.wantPlan, created.Status.Plan); diff != "" {
				t.Errorf("plan differs (-want +got):\n%s", diff)
			}
			wantStrings(t, "warnings", warnings, test.wantWarnings...)
			if !slices.Equal(storage.planner.asked, test.wantAsked) {
				t.Errorf("asked for fresh plans: %v, want %v", storage.planner.asked, test.wantAsked)
			}
			if len(test.dryRun) == 0 {
				storage.remove(t, "a")
			}
		})
	}
}

// remove deletes a hold and takes its finalizer off, as the drainer does.
func (s *testStorage) remove(t *testing.T, name string) {
	t.Helper()
	ctx := context.Background()
	obj, err := s.Get(ctx, name, &metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if plan := obj.(*v1beta1.NodeMaintenance).Status.Plan; plan != nil {
		t.Errorf("a plan was stored: %v", plan)
	}
	s.delete(t, name)
	s.update(t, &user.DefaultInfo{Name: user.APIServerUser, Groups: []string{user.SystemPrivilegedGroup}}, name, false, nil, func(hold *v1beta1.NodeMaintenance) { hold.Finalizers = nil })
}
