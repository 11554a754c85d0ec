// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	operational = v1beta1.ProfileOperational
	required    = v1beta1.ProfileMaintenanceRequired
	maintained  = v1beta1.ProfileInMaintenance
)

var now = time.Date(2026, 2, 28, 23, 59, 59, 123456789, time.UTC)

// at is a NodeProfile in a state, after changes.
func at(state v1beta1.ProfileState, changes ...func(*v1beta1.NodeProfileStatus)) *v1beta1.NodeProfile {
	np := &v1beta1.NodeProfile{
		ObjectMeta: metav1.ObjectMeta{Name: "w-1.flatcar", UID: "np"},
		Spec:       v1beta1.NodeProfileSpec{NodeName: "w-1", Profile: "flatcar"},
		Status:     v1beta1.NodeProfileStatus{State: state, Sequence: 5, Attempt: 2},
	}
	for _, change := range changes {
		change(&np.Status)
	}
	return np
}

func recorded(phase v1beta1.TransitionPhase, from, next v1beta1.ProfileState, steps ...v1beta1.TransitionStep) func(*v1beta1.NodeProfileStatus) {
	return func(s *v1beta1.NodeProfileStatus) {
		s.Transition = &v1beta1.RecordedTransition{
			ID: "np/5.2", Name: "start", Phase: phase, From: from, Next: next, DecidedTime: micro(now.Add(-time.Minute)), Steps: steps,
		}
	}
}

func held(by v1beta1.HoldSource, stage v1beta1.MaintenanceStage) func(*v1beta1.NodeProfileStatus) {
	return func(s *v1beta1.NodeProfileStatus) {
		s.Hold = &v1beta1.NodeProfileHold{Name: "hold", UID: "uid", Source: by, Stage: stage, Reached: stage, Message: "it is so"}
	}
}

// shown is what a move has made of a status, in short.
type shown struct {
	State, Previous   v1beta1.ProfileState
	Sequence, Attempt int64
	// Transition is the phase of the transition that is recorded; empty: none is.
	Transition v1beta1.TransitionPhase
	// History are the ends of transitions.
	History []string
	// Hold is the stage of the hold; empty: there is none.
	Hold v1beta1.MaintenanceStage
}

func show(s *v1beta1.NodeProfileStatus) shown {
	got := shown{State: s.State, Previous: s.Previous, Sequence: s.Sequence, Attempt: s.Attempt}
	if s.Transition != nil {
		got.Transition = s.Transition.Phase
	}
	for _, h := range s.History {
		got.History = append(got.History, string(h.From)+" to "+string(h.Next)+": "+string(h.Result)+" "+h.Message)
	}
	if s.Hold != nil {
		got.Hold = s.Hold.Stage
	}
	return got
}

// Each move leads where it is to lead.
func TestMoves(t *testing.T) {
	step := v1beta1.TransitionStep{ID: "0-drain"}
	told := v1beta1.TransitionStep{ID: "1-tell", State: v1beta1.StepDone, Message: "half of it", Trigger: v1beta1.ProfileTrigger{Name: "tell"}}
	for name, test := range map[string]struct {
		before *v1beta1.NodeProfile
		move   func(*v1beta1.NodeProfile)
		want   shown
	}{
		"it starts": {
			before: &v1beta1.NodeProfile{},
			move:   func(np *v1beta1.NodeProfile) { Start(&np.Status, "node", now) },
			want:   shown{State: operational, Sequence: 1},
		},
		"it is recorded": {
			before: at(required),
			move: func(np *v1beta1.NodeProfile) {
				Record(np, Decided{Transition: &v1beta1.ProfileTransition{Name: "start", Next: maintained}}, now)
			},
			want: shown{State: required, Sequence: 5, Attempt: 3, Transition: v1beta1.PhaseTriggers},
		},
		"it is committed": {
			before: at(required, recorded(v1beta1.PhaseTriggers, required, maintained)),
			move:   func(np *v1beta1.NodeProfile) { Commit(np, nil, now) },
			want: shown{
				State: maintained, Previous: required, Sequence: 6, History: []string{"MaintenanceRequired to InMaintenance: Done "},
			},
		},
		"it is committed, with what people should know": {
			before: at(required, recorded(v1beta1.PhaseTriggers, required, maintained, step, told)),
			move: func(np *v1beta1.NodeProfile) {
				Commit(np, []v1beta1.TransitionStep{told}, now)
				Entered(&np.Status)
			},
			want: shown{
				State: maintained, Previous: required, Sequence: 6,
				History: []string{"MaintenanceRequired to InMaintenance: Done tell: half of it; tell: half of it"},
			},
		},
		"it is committed, and enters": {
			before: at(required, recorded(v1beta1.PhaseTriggers, required, maintained)),
			move:   func(np *v1beta1.NodeProfile) { Commit(np, []v1beta1.TransitionStep{step}, now) },
			want: shown{
				State: maintained, Previous: required, Sequence: 6, Transition: v1beta1.PhaseEnter,
				History: []string{"MaintenanceRequired to InMaintenance: Done "},
			},
		},
		"it has entered": {
			before: at(maintained, recorded(v1beta1.PhaseEnter, required, maintained, step)),
			move:   func(np *v1beta1.NodeProfile) { Entered(&np.Status) },
			want:   shown{State: maintained, Sequence: 5, Attempt: 2},
		},
		"it is dropped": {
			before: at(required, recorded(v1beta1.PhaseTriggers, required, maintained)),
			move:   func(np *v1beta1.NodeProfile) { Drop(&np.Status) },
			want:   shown{State: required, Sequence: 5, Attempt: 2},
		},
		"it is void": {
			before: at(required),
			move:   func(np *v1beta1.NodeProfile) { Void(&np.Status, 3) },
			want:   shown{State: required, Sequence: 5, Attempt: 3},
		},
		"an older one is void": {
			before: at(required),
			move:   func(np *v1beta1.NodeProfile) { Void(&np.Status, 1) },
			want:   shown{State: required, Sequence: 5, Attempt: 2},
		},
		"triggers are given up": {
			before: at(required, recorded(v1beta1.PhaseTriggers, required, maintained, step), held(v1beta1.HoldByTrigger, v1beta1.StageDrain)),
			move:   func(np *v1beta1.NodeProfile) { Abort(&np.Status, Cause{Message: "too late"}, now) },
			want: shown{
				State: required, Sequence: 5, Attempt: 2, Hold: v1beta1.StageIdle,
				History: []string{"MaintenanceRequired to InMaintenance: Aborted too late"},
			},
		},
		"an enter is given up": {
			before: at(maintained, recorded(v1beta1.PhaseEnter, required, maintained, step), held(v1beta1.HoldByTrigger, v1beta1.StageDrain)),
			move:   func(np *v1beta1.NodeProfile) { Abort(&np.Status, Cause{Message: "too late"}, now) },
			want: shown{
				State: required, Previous: maintained, Sequence: 6, Hold: v1beta1.StageIdle,
				History: []string{"InMaintenance to MaintenanceRequired: Aborted too late"},
			},
		},
		"it is reset": {
			before: at(maintained),
			move:   func(np *v1beta1.NodeProfile) { Reset(&np.Status, Cause{Message: "a new node"}, now) },
			want: shown{
				State: operational, Previous: maintained, Sequence: 6, History: []string{"InMaintenance to Operational: Done a new node"},
			},
		},
		"it is reset while it enters": {
			before: at(maintained, recorded(v1beta1.PhaseEnter, required, maintained, step)),
			move:   func(np *v1beta1.NodeProfile) { Reset(&np.Status, Cause{Message: "a new node"}, now) },
			want: shown{
				State: operational, Previous: required, Sequence: 7,
				History: []string{"InMaintenance to MaintenanceRequired: Aborted a new node", "MaintenanceRequired to Operational: Done a new node"},
			},
		},
		"there is nothing to reset": {
			before: at(operational),
			move:   func(np *v1beta1.NodeProfile) { Reset(&np.Status, Cause{}, now) },
			want:   shown{State: operational, Sequence: 5, Attempt: 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.move(test.before)
			if diff := cmp.Diff(test.want, show(&test.before.Status)); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// The history keeps the last ones.
func TestHistoryIsBounded(t *testing.T) {
	np := at(operational)
	for i := range int64(v1beta1.MaxHistory + 5) {
		recorded(v1beta1.PhaseTriggers, np.Status.State, required)(&np.Status)
		np.Status.Transition.ID = ID("np", i, 1)
		Commit(np, nil, now)
	}
	got := np.Status.History
	if len(got) != v1beta1.MaxHistory || got[0].ID != "np/5.1" {
		t.Errorf("%d ends, from %s, want %d, from np/5.1", len(got), got[0].ID, v1beta1.MaxHistory)
	}
}

// A push is used up by the transition that it starts, unless nothing was done of that.
func TestPushCountsOnce(t *testing.T) {
	push := v1beta1.RecordedDecision{
		Decision: v1beta1.ProfilePush, Transition: "start", Sequence: 5, By: "alice", Reason: "disk", Time: metav1.NewTime(now),
	}
	np := at(required, func(s *v1beta1.NodeProfileStatus) {
		other := push
		other.By = "bob"
		s.Decisions = []v1beta1.RecordedDecision{other, push}
	})
	transition := &v1beta1.ProfileTransition{Name: "start", Next: maintained}
	Record(np, Decided{Transition: transition, Pushed: &push, HoldStage: v1beta1.StageDrain}, now)
	got := np.Status
	if got.Decisions[0].UsedBy != "" || got.Decisions[1].UsedBy != "np/5.3" {
		t.Errorf("got %+v, want that the push of alice is used", got.Decisions)
	}
	if got.Transition.By != "alice" || got.Transition.Reason != "disk" || got.Transition.HoldStage != "" {
		t.Errorf("got %+v, want that alice has pushed it, for the disk, and that it waits for no hold", got.Transition)
	}
	Drop(&np.Status)
	if np.Status.Decisions[1].UsedBy != "" {
		t.Errorf("got %+v, want that the push counts again", np.Status.Decisions)
	}
}

// A person gives up the transition that is there, and no other one.
func TestAskedToAbort(t *testing.T) {
	asked := v1beta1.RecordedDecision{Decision: v1beta1.ProfileAbort, Sequence: 5, By: "alice", Time: metav1.NewTime(now)}
	for name, test := range map[string]struct {
		change func(*v1beta1.RecordedDecision)
		none   bool
		want   bool
	}{
		"asked":                          {want: true},
		"for this transition":            {change: func(d *v1beta1.RecordedDecision) { d.Transition = "start" }, want: true},
		"for another transition":         {change: func(d *v1beta1.RecordedDecision) { d.Transition = "finish" }},
		"in an earlier state":            {change: func(d *v1beta1.RecordedDecision) { d.Sequence = 4 }},
		"used":                           {change: func(d *v1beta1.RecordedDecision) { d.UsedBy = "np/5.1" }},
		"something else":                 {change: func(d *v1beta1.RecordedDecision) { d.Decision = v1beta1.ProfileVeto }},
		"before it was decided":          {change: func(d *v1beta1.RecordedDecision) { d.Time = metav1.NewTime(now.Add(-time.Hour)) }},
		"there is nothing to be aborted": {none: true},
	} {
		t.Run(name, func(t *testing.T) {
			np := at(required, recorded(v1beta1.PhaseTriggers, required, maintained))
			if test.none {
				np.Status.Transition = nil
			}
			decision := asked
			if test.change != nil {
				test.change(&decision)
			}
			np.Status.Decisions = []v1beta1.RecordedDecision{decision}
			got := AskedToAbort(&np.Status)
			if (got != nil) != test.want {
				t.Fatalf("got %+v, want %t", got, test.want)
			}
			if got == nil {
				return
			}
			UseAbort(&np.Status, got)
			if again := AskedToAbort(&np.Status); again != nil || np.Status.Decisions[0].UsedBy != "np/5.2" {
				t.Errorf("got %+v after it was used, by %s", again, np.Status.Decisions[0].UsedBy)
			}
		})
	}
}

// After each abort in a row the rest is longer.
func TestRestsUntil(t *testing.T) {
	ended := func(result v1beta1.TransitionResult, ago time.Duration) v1beta1.TransitionHistory {
		return v1beta1.TransitionHistory{Result: result, EndedTime: metav1.NewTime(now.Add(-ago))}
	}
	given, done := v1beta1.TransitionAborted, v1beta1.TransitionDone
	for name, test := range map[string]struct {
		history []v1beta1.TransitionHistory
		want    time.Duration // 0: no rest
	}{
		"nothing has ended":    {},
		"the last one is done": {history: []v1beta1.TransitionHistory{ended(given, time.Minute), ended(done, 0)}},
		"one was given up":     {history: []v1beta1.TransitionHistory{ended(done, time.Minute), ended(given, 0)}, want: time.Minute},
		"three were given up": {
			history: []v1beta1.TransitionHistory{ended(given, 3*time.Minute), ended(given, 2*time.Minute), ended(given, 0)}, want: 4 * time.Minute,
		},
		"long ago does not count": {history: []v1beta1.TransitionHistory{ended(given, 61*time.Minute), ended(given, 0)}, want: time.Minute},
		"half an hour at most": {
			history: []v1beta1.TransitionHistory{
				ended(given, 7), ended(given, 6), ended(given, 5), ended(given, 4), ended(given, 3), ended(given, 2), ended(given, 0),
			},
			want: 30 * time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := time.Time{}
			if test.want > 0 {
				want = now.Add(test.want)
			}
			if got := RestsUntil(&v1beta1.NodeProfileStatus{History: test.history}); !got.Equal(want) {
				t.Errorf("until %v, want %v", got, want)
			}
		})
	}
}

// A time-out begins with the step.
func TestTimedOut(t *testing.T) {
	started := micro(now)
	for name, test := range map[string]struct {
		step v1beta1.TransitionStep
		want time.Time
	}{
		"no time-out":   {step: v1beta1.TransitionStep{StartTime: &started}},
		"not begun yet": {step: v1beta1.TransitionStep{Trigger: v1beta1.ProfileTrigger{TimeoutSeconds: ptr.To[int64](5)}}},
		"begun": {
			step: v1beta1.TransitionStep{StartTime: &started, Trigger: v1beta1.ProfileTrigger{TimeoutSeconds: ptr.To[int64](5)}},
			want: started.Add(5 * time.Second),
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := TimedOut(&test.step); !got.Equal(test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// The boot is recorded before anything begins that may ask for the reboot: a Job is started by the reboot itself, and what
// others do may be asked for by any trigger that comes after the drain.
func TestAwaitsBoot(t *testing.T) {
	kinds := map[string]v1beta1.ProfileTrigger{
		"hold": {Hold: &v1beta1.HoldTrigger{}}, "patch": {PatchNode: &v1beta1.PatchNodeTrigger{}}, "hook": {Webhook: &v1beta1.WebhookTrigger{}},
		"job": {Reboot: &v1beta1.RebootTrigger{Job: &v1beta1.JobTrigger{}}}, "others": {Reboot: &v1beta1.RebootTrigger{}},
	}
	for name, test := range map[string]struct {
		steps []string
		done  int
		// boots are the steps that have one.
		boots []int
		want  int
	}{
		"no reboot":                       {steps: []string{"hold", "patch"}, want: -1},
		"before the drain":                {steps: []string{"hold", "patch", "others"}, want: -1},
		"before what may ask for it":      {steps: []string{"hold", "patch", "others"}, done: 1, want: 2},
		"before what may, without a hold": {steps: []string{"hook", "patch", "others"}, want: 2},
		"it is recorded":                  {steps: []string{"hold", "patch", "others"}, done: 1, boots: []int{2}, want: -1},
		"it begins":                       {steps: []string{"hold", "others"}, done: 1, want: 1},
		"it runs":                         {steps: []string{"hold", "others"}, done: 1, boots: []int{1}, want: -1},
		"a Job, before another trigger":   {steps: []string{"hold", "patch", "job"}, done: 1, want: -1},
		"a Job begins":                    {steps: []string{"hold", "patch", "job"}, done: 2, want: 2},
		"a second one":                    {steps: []string{"others", "patch", "others"}, boots: []int{0}, want: -1},
		"after the first one":             {steps: []string{"others", "patch", "others"}, done: 1, boots: []int{0}, want: 2},
		"after a drain of its own":        {steps: []string{"patch", "hold", "others"}, want: -1},
		"all are done":                    {steps: []string{"others"}, done: 1, boots: []int{0}, want: -1},
	} {
		t.Run(name, func(t *testing.T) {
			transition := &v1beta1.RecordedTransition{}
			for i, kind := range test.steps {
				step := v1beta1.TransitionStep{Trigger: kinds[kind], State: v1beta1.StepPending}
				if i < test.done {
					step.State = v1beta1.StepDone
				}
				if slices.Contains(test.boots, i) {
					step.BootID = "boot"
				}
				transition.Steps = append(transition.Steps, step)
			}
			got := AwaitsBoot(transition)
			if test.want < 0 && got != nil || test.want >= 0 && got != &transition.Steps[test.want] {
				t.Errorf("got %+v, want that of step %d", got, test.want)
			}
		})
	}
}
