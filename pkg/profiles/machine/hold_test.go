// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/sapdata"
)

// The state says which hold there is, and what triggers have asked for stays until the node is Operational.
func TestHoldForState(t *testing.T) {
	const byState, byTrigger = v1beta1.HoldByState, v1beta1.HoldByTrigger
	none := func(*v1beta1.NodeProfileStatus) {}
	for name, test := range map[string]struct {
		state     v1beta1.ProfileState
		hold      func(*v1beta1.NodeProfileStatus)
		asks      v1beta1.MaintenanceStage // empty: the state asks for none
		deleted   bool                     // the profile is gone
		wantStage v1beta1.MaintenanceStage // empty: there is none
		wantBy    v1beta1.HoldSource
	}{
		"none is asked for":                {state: required, hold: none},
		"asked for":                        {state: maintained, hold: none, asks: v1beta1.StageDrain, wantStage: v1beta1.StageDrain, wantBy: byState},
		"lower than before":                {state: required, hold: held(byState, v1beta1.StageDrain), asks: v1beta1.StageCordon, wantStage: v1beta1.StageCordon, wantBy: byState},
		"instead of a trigger's":           {state: required, hold: held(byTrigger, v1beta1.StageDrain), asks: v1beta1.StageCordon, wantStage: v1beta1.StageCordon, wantBy: byState},
		"asked for no more":                {state: required, hold: held(byState, v1beta1.StageDrain), wantStage: v1beta1.StageIdle, wantBy: byState},
		"a trigger's stays":                {state: required, hold: held(byTrigger, v1beta1.StageDrain), wantStage: v1beta1.StageDrain, wantBy: byTrigger},
		"a trigger's, Operational":         {state: operational, hold: held(byTrigger, v1beta1.StageDrain), wantStage: v1beta1.StageIdle, wantBy: byTrigger},
		"the profile is gone":              {state: maintained, hold: held(byState, v1beta1.StageDrain), asks: v1beta1.StageDrain, deleted: true, wantStage: v1beta1.StageIdle, wantBy: byState},
		"asked for while it is given back": {state: maintained, hold: held(byState, v1beta1.StageIdle), asks: v1beta1.StageDrain, wantStage: v1beta1.StageDrain, wantBy: byState},
	} {
		t.Run(name, func(t *testing.T) {
			np, profile := at(test.state, test.hold), &v1beta1.MaintenanceProfile{}
			if test.asks != "" {
				StateSpec(profile, test.state).Hold = &v1beta1.ProfileHold{Stage: test.asks}
			}
			if test.deleted {
				profile = nil
			}
			HoldForState(np, profile)
			got := np.Status.Hold
			if got == nil {
				got = &v1beta1.NodeProfileHold{}
			} else if got.Name == "" {
				t.Error("it has no name")
			}
			if got.Stage != test.wantStage || got.Source != test.wantBy {
				t.Errorf("%s by %s, want %s by %s", got.Stage, got.Source, test.wantStage, test.wantBy)
			}
		})
	}
}

// A step raises the stage, and never lowers it.
func TestHoldForStep(t *testing.T) {
	raise := func(stage v1beta1.MaintenanceStage) v1beta1.ProfileTrigger {
		return v1beta1.ProfileTrigger{Hold: &v1beta1.HoldTrigger{Stage: stage}}
	}
	none := func(*v1beta1.NodeProfileStatus) {}
	for name, test := range map[string]struct {
		hold    func(*v1beta1.NodeProfileStatus)
		trigger v1beta1.ProfileTrigger
		want    v1beta1.MaintenanceStage
	}{
		"drain by default":     {hold: none, trigger: raise(""), want: v1beta1.StageDrain},
		"cordon":               {hold: none, trigger: raise(v1beta1.StageCordon), want: v1beta1.StageCordon},
		"raised":               {hold: held(v1beta1.HoldByState, v1beta1.StageCordon), trigger: raise(v1beta1.StageDrain), want: v1beta1.StageDrain},
		"not lowered":          {hold: held(v1beta1.HoldByState, v1beta1.StageDrain), trigger: raise(v1beta1.StageCordon), want: v1beta1.StageDrain},
		"released":             {hold: held(v1beta1.HoldByState, v1beta1.StageDrain), trigger: v1beta1.ProfileTrigger{Release: &v1beta1.ReleaseTrigger{}}, want: v1beta1.StageIdle},
		"nothing to release":   {hold: none, trigger: v1beta1.ProfileTrigger{Release: &v1beta1.ReleaseTrigger{}}},
		"nothing to do for it": {hold: none, trigger: v1beta1.ProfileTrigger{Job: &v1beta1.JobTrigger{}}},
	} {
		t.Run(name, func(t *testing.T) {
			np := at(required, test.hold)
			HoldForStep(np, &test.trigger)
			if got := show(&np.Status).Hold; got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// A transition that is given up leaves the hold as it was when it was decided.
func TestAbortRestoresTheHold(t *testing.T) {
	raise, release := &v1beta1.ProfileTrigger{Hold: &v1beta1.HoldTrigger{}}, &v1beta1.ProfileTrigger{Release: &v1beta1.ReleaseTrigger{}}
	none := func(*v1beta1.NodeProfileStatus) {}
	gone := func(np *v1beta1.NodeProfile) { np.Status.Hold = nil }
	for name, test := range map[string]struct {
		before func(*v1beta1.NodeProfileStatus)
		does   *v1beta1.ProfileTrigger
		then   func(*v1beta1.NodeProfile)
		wantBy v1beta1.HoldSource
		want   v1beta1.MaintenanceStage
	}{
		"none before":        {before: none, does: raise, wantBy: v1beta1.HoldByTrigger, want: v1beta1.StageIdle},
		"cordoned before":    {before: held(v1beta1.HoldByState, v1beta1.StageCordon), does: raise, wantBy: v1beta1.HoldByState, want: v1beta1.StageCordon},
		"drained before":     {before: held(v1beta1.HoldByTrigger, v1beta1.StageDrain), does: release, wantBy: v1beta1.HoldByTrigger, want: v1beta1.StageDrain},
		"released, gone":     {before: held(v1beta1.HoldByTrigger, v1beta1.StageDrain), does: release, then: gone, wantBy: v1beta1.HoldByTrigger, want: v1beta1.StageDrain},
		"was being released": {before: held(v1beta1.HoldByTrigger, v1beta1.StageIdle), does: raise, wantBy: v1beta1.HoldByTrigger, want: v1beta1.StageIdle},
	} {
		for _, phase := range []v1beta1.TransitionPhase{v1beta1.PhaseTriggers, v1beta1.PhaseEnter} {
			t.Run(name+", "+string(phase), func(t *testing.T) {
				np := at(required, test.before)
				Record(np, Decided{Transition: &v1beta1.ProfileTransition{Name: "start", Next: maintained}}, now)
				if phase == v1beta1.PhaseEnter {
					Commit(np, []v1beta1.TransitionStep{{ID: "0-drain"}}, now)
				}
				HoldForStep(np, test.does)
				if test.then != nil {
					test.then(np)
				}
				Abort(&np.Status, Cause{}, now)
				if got := np.Status.Hold; got == nil || got.Stage != test.want || got.Source != test.wantBy {
					t.Errorf("got %+v, want %s by %s", got, test.want, test.wantBy)
				}
			})
		}
	}
}

// A step is the trigger as the profile has it now, and a copy of it.
func TestStep(t *testing.T) {
	profile := &v1beta1.MaintenanceProfile{Spec: v1beta1.MaintenanceProfileSpec{Triggers: []v1beta1.ProfileTrigger{
		{Name: "drain", Hold: &v1beta1.HoldTrigger{Stage: v1beta1.StageDrain}},
	}}}
	got := Step(profile, 1, "drain")
	profile.Spec.Triggers[0].Hold.Stage = v1beta1.StageCordon
	want := v1beta1.TransitionStep{
		ID: "1-drain", State: v1beta1.StepPending,
		Trigger: v1beta1.ProfileTrigger{Name: "drain", Hold: &v1beta1.HoldTrigger{Stage: v1beta1.StageDrain}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	if missing := Step(profile, 0, "reboot"); missing.State != v1beta1.StepFailed || missing.Message != "the profile has no trigger reboot" {
		t.Errorf("got %+v, want that it has failed", missing)
	}
}

// A step that has made an object is not done again; others are, later the more often they have failed.
func TestFailed(t *testing.T) {
	for name, test := range map[string]struct {
		step      v1beta1.TransitionStep
		want      v1beta1.StepState
		wantAfter time.Duration // 0: never
	}{
		"the first time":    {step: v1beta1.TransitionStep{State: v1beta1.StepRunning}, want: v1beta1.StepRunning, wantAfter: time.Second},
		"the third time":    {step: v1beta1.TransitionStep{State: v1beta1.StepRunning, Failures: 2}, want: v1beta1.StepRunning, wantAfter: 4 * time.Second},
		"very often":        {step: v1beta1.TransitionStep{State: v1beta1.StepRunning, Failures: 1000}, want: v1beta1.StepRunning, wantAfter: time.Minute},
		"it has made a Job": {step: v1beta1.TransitionStep{State: v1beta1.StepRunning, Object: "job-1"}, want: v1beta1.StepFailed},
	} {
		t.Run(name, func(t *testing.T) {
			Failed(&test.step, "no", now)
			after := time.Duration(0)
			if test.step.NextTime != nil {
				after = test.step.NextTime.Sub(now.Truncate(time.Microsecond))
			}
			if test.step.State != test.want || after != test.wantAfter || test.step.Message != "no" {
				t.Errorf("got %+v, again after %s, want %s, after %s", test.step, after, test.want, test.wantAfter)
			}
		})
	}
}

// Something may have been done once a step is no longer Pending, or the state was entered.
func TestHasBegun(t *testing.T) {
	steps := func(states ...v1beta1.StepState) (made []v1beta1.TransitionStep) {
		for _, state := range states {
			made = append(made, v1beta1.TransitionStep{State: state})
		}
		return made
	}
	for name, test := range map[string]struct {
		phase v1beta1.TransitionPhase
		steps []v1beta1.TransitionStep
		want  bool
	}{
		"recorded": {v1beta1.PhaseTriggers, steps(v1beta1.StepPending, v1beta1.StepPending), false},
		"running":  {v1beta1.PhaseTriggers, steps(v1beta1.StepRunning, v1beta1.StepPending), true},
		"done":     {v1beta1.PhaseTriggers, steps(v1beta1.StepDone, v1beta1.StepPending), true},
		"failed":   {v1beta1.PhaseTriggers, steps(v1beta1.StepFailed), true},
		"skipped":  {v1beta1.PhaseTriggers, steps(v1beta1.StepSkipped), false},
		"entered":  {v1beta1.PhaseEnter, steps(v1beta1.StepPending), true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := HasBegun(&v1beta1.RecordedTransition{Phase: test.phase, Steps: test.steps}); got != test.want {
				t.Errorf("%t, want %t", got, test.want)
			}
		})
	}
}

// Words and numbers alone make no other result.
func TestSameResults(t *testing.T) {
	base := func() *v1beta1.NodeProfileStatus {
		return &at(required, held(v1beta1.HoldByState, v1beta1.StageDrain), func(s *v1beta1.NodeProfileStatus) {
			s.Checks = []v1beta1.CheckStatus{{Name: "max", Result: v1beta1.CheckFalse, Message: "1 of 1", Info: map[string]string{"current": "1"}}}
			s.Transitions = []v1beta1.TransitionStatus{{Name: "start", Result: v1beta1.CheckFalse, WaitingFor: "1 of 1"}}
		}).Status
	}
	for name, test := range map[string]struct {
		change func(*v1beta1.NodeProfileStatus)
		want   bool
	}{
		"words": {func(s *v1beta1.NodeProfileStatus) {
			s.Checks[0].Message, s.Checks[0].Info, s.Checks[0].NextTime, s.Hold.Message = "x", nil, second(now), "x"
		}, true},
		"a check":       {func(s *v1beta1.NodeProfileStatus) { s.Checks[0].Result = v1beta1.CheckTrue }, false},
		"a transition":  {func(s *v1beta1.NodeProfileStatus) { s.Transitions[0].Result = v1beta1.CheckTrue }, false},
		"the hold":      {func(s *v1beta1.NodeProfileStatus) { s.Hold.Reached = v1beta1.StageCordon }, false},
		"the state":     {func(s *v1beta1.NodeProfileStatus) { s.State = maintained }, false},
		"notifications": {func(s *v1beta1.NodeProfileStatus) { s.Notifications = []v1beta1.NotificationStatus{{ID: "1"}} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			changed := base()
			test.change(changed)
			if got := SameResults(base(), changed); got != test.want {
				t.Errorf("%t, want %t", got, test.want)
			}
		})
	}
}

// A NodeProfile goes on from where another controller was, once, and with what that had not done yet.
func TestAdopt(t *testing.T) {
	since, enter := now.Add(-time.Hour), []v1beta1.TransitionStep{{ID: "0-drain", State: v1beta1.StepPending}}
	for name, test := range map[string]struct {
		adopted sapdata.Adoption
		want    shown
	}{
		"in maintenance": {
			adopted: sapdata.Adoption{State: maintained, Previous: maintained, Since: since, Hold: v1beta1.StageDrain},
			want:    shown{State: maintained, Sequence: 6, Hold: v1beta1.StageDrain},
		},
		"still entering": {
			adopted: sapdata.Adoption{State: maintained, Previous: required, Since: since, EnterPending: true},
			want:    shown{State: maintained, Sequence: 6, Transition: v1beta1.PhaseEnter},
		},
		"operational": {
			adopted: sapdata.Adoption{State: operational, Previous: operational, Since: since},
			want:    shown{State: operational, Sequence: 6},
		},
	} {
		t.Run(name, func(t *testing.T) {
			np := at(operational)
			if !MayAdopt(&np.Status) {
				t.Fatal("it may not adopt")
			}
			Adopt(np, test.adopted, enter, now)
			got := show(&np.Status)
			got.History = nil
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
			if !np.Status.Since.Time.Equal(since.Truncate(time.Second)) || MayAdopt(&np.Status) {
				t.Errorf("since %v, may adopt again %t, want since %v, and not again", np.Status.Since, MayAdopt(&np.Status), since)
			}
		})
	}
}
