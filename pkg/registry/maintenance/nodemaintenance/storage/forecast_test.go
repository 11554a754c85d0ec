// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fakeFleet answers with what it is given. Without a forecast there are no policies.
type fakeFleet struct {
	forecast *v1beta1.AdmissionForecast
	why      string
	err      error
}

func (f *fakeFleet) Forecast(context.Context, *v1beta1.NodeMaintenance) (*v1beta1.AdmissionForecast, string, error) {
	return f.forecast, f.why, f.err
}

func TestWhoeverWritesAHoldIsToldThatItWaits(t *testing.T) {
	earliest := metav1.NewTime(time.Date(2026, 11, 28, 21, 0, 0, 0, time.UTC))
	waits := &v1beta1.AdmissionForecast{
		WaitingFor:        []v1beta1.AdmissionWait{{Policy: "workers", Reason: v1beta1.AdmissionQueued, Message: "2 of 2 nodes"}},
		EarliestStartTime: &earliest,
		Positions:         []v1beta1.QueuePosition{{Policy: "workers", Position: 3, Of: 7}},
	}
	noNode := &v1beta1.AdmissionForecast{WaitingFor: []v1beta1.AdmissionWait{{Reason: v1beta1.AdmissionNodeNotFound, Message: "node worker-1 does not exist"}}}
	inPlan := &v1beta1.AdmissionForecast{
		WaitingFor:        []v1beta1.AdmissionWait{{Policy: "workers", Reason: v1beta1.AdmissionQueued, Message: "2 of 2 nodes"}},
		EarliestStartTime: &earliest,
		Positions:         []v1beta1.QueuePosition{{Policy: "workers", Position: 3, Of: 7}},
	}
	told := `maintenance of node "worker-1" waits: policy "workers": 2 of 2 nodes; ` +
		`place 3 of 7 in the queue of policy "workers"; it does not start before 2026-11-28T21:00:00Z`
	tests := map[string]struct {
		fleet  fakeFleet
		stage  v1beta1.MaintenanceStage
		dryRun []string

		wantAdmission *v1beta1.AdmissionForecast
		wantWarnings  []string
	}{
		"no policies":         {stage: v1beta1.StageDrain},
		"it waits":            {fleet: fakeFleet{forecast: waits}, stage: v1beta1.StageDrain, wantWarnings: []string{told}},
		"a cordon waits":      {fleet: fakeFleet{forecast: waits}, stage: v1beta1.StageCordon, wantWarnings: []string{told}},
		"no node":             {fleet: fakeFleet{forecast: noNode}, stage: v1beta1.StageDrain}, // a warning of its own tells of it
		"Idle asks nothing":   {fleet: fakeFleet{forecast: waits}, stage: v1beta1.StageIdle},
		"it starts":           {fleet: fakeFleet{forecast: &v1beta1.AdmissionForecast{StartsNow: true}}, stage: v1beta1.StageDrain},
		"nobody knows":        {fleet: fakeFleet{err: errors.New("not yet")}, stage: v1beta1.StageDrain},
		"dry run that waits":  {fleet: fakeFleet{forecast: waits}, stage: v1beta1.StageDrain, dryRun: dryRun, wantAdmission: inPlan, wantWarnings: []string{told}},
		"dry run that starts": {fleet: fakeFleet{forecast: &v1beta1.AdmissionForecast{StartsNow: true}}, stage: v1beta1.StageDrain, dryRun: dryRun, wantAdmission: &v1beta1.AdmissionForecast{StartsNow: true}},
		"dry run, no answer":  {fleet: fakeFleet{err: errors.New("not yet")}, stage: v1beta1.StageDrain, dryRun: dryRun, wantWarnings: []string{"status.plan.admission is missing: not yet"}},
	}
	storage := newTestStorage(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.fleet.why = `policy "workers": 2 of 2 nodes`
			*storage.fleet = test.fleet
			hold := newHold("a", "worker-1")
			hold.Spec.Stage = test.stage
			created, warnings := storage.create(t, alice, hold, test.dryRun...)
			wantStrings(t, "warnings", warnings, test.wantWarnings...)
			var got *v1beta1.AdmissionForecast
			if created.Status.Plan != nil {
				got = created.Status.Plan.Admission
			}
			if diff := cmp.Diff(test.wantAdmission, got); diff != "" {
				t.Errorf("status.plan.admission differs (-want +got):\n%s", diff)
			}
			if len(test.dryRun) == 0 {
				storage.remove(t, "a")
			}
		})
	}
}

func TestWhoeverRaisesTheStageIsToldThatItWaits(t *testing.T) {
	storage := newTestStorage(t)
	hold := newHold("a", "worker-1")
	hold.Spec.Stage = v1beta1.StageCordon
	storage.create(t, alice, hold)
	*storage.fleet = fakeFleet{forecast: &v1beta1.AdmissionForecast{StartsNow: true}, why: "it was admitted"}
	change := func(change func(*v1beta1.NodeMaintenance)) []string {
		_, warnings := storage.update(t, alice, "a", false, nil, change)
		return warnings
	}
	storage.fleet.forecast, storage.fleet.why = &v1beta1.AdmissionForecast{}, "closed until Saturday"
	wantStrings(t, "warnings for a reason", change(func(hold *v1beta1.NodeMaintenance) { hold.Spec.Reason = "x" }))
	wantStrings(t, "warnings for a stage", change(func(hold *v1beta1.NodeMaintenance) { hold.Spec.Stage = v1beta1.StageDrain }),
		`maintenance of node "worker-1" waits: closed until Saturday`)
}

// A plan is worth something without the policies.
func TestPlanOfAHoldWithoutAForecast(t *testing.T) {
	storage := newTestStorage(t)
	*storage.fleet = fakeFleet{err: errors.New("not yet")}
	ctx, got := requestBy(alice)
	plan, err := storage.PlanHold(ctx, newHold("a", "worker-1"))
	if err != nil || plan == nil || plan.Admission != nil {
		t.Errorf("got %+v, %v, want a plan without an admission", plan, err)
	}
	wantStrings(t, "warnings", got.warnings, "status.admission is missing: not yet")
}
