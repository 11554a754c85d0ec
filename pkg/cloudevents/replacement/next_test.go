// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replacement

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// whole are the facts about a set of three that has nothing added.
var whole = Facts{Machine: Present, Settled: true, Replicas: 3, Live: 3, Ready: 3, Newest: "sibling"}

// surged are those after a machine was added, which is not Ready.
var surged = change(whole, func(f *Facts) {
	f.Surged, f.Replicas, f.Live, f.Newest, f.New = true, 4, 4, "new", &NewMachine{Name: "new"}
})

func change(facts Facts, changes ...func(f *Facts)) Facts {
	for _, change := range changes {
		change(&facts)
	}
	return facts
}

func gone(f *Facts)       { f.Machine, f.Live, f.Ready = Gone, f.Live-1, f.Ready-1 }
func detached(f *Facts)   { f.Machine = Detached }
func ownerGone(f *Facts)  { f.OwnerGone = true }
func rescaled(f *Facts)   { f.Rescaled = true }
func markedOld(f *Facts)  { f.Marks = []Mark{{Machine: "old", Own: true}} }
func markedElse(f *Facts) { f.Marks = []Mark{{Machine: "sibling"}} }
func newReady(f *Facts) {
	f.New, f.Ready = &NewMachine{Name: "new", Node: "new-node", Ready: true}, f.Live
}
func unsettled(f *Facts) { f.Settled = false }
func added(f *Facts)     { f.Surged = true }

func mayDelete(s *Stand)   { s.MayDelete = true }
func withdrawnS(s *Stand)  { s.Withdrawn = true }
func recorded(s *Stand)    { s.Replacement.NewMachine = "new" }
func deleteFirst(s *Stand) { s.Replacement.Strategy = v1beta1.DeleteFirst }

func after(d time.Duration) func(s *Stand) {
	return func(s *Stand) { s.Replacement.StepTime = new(metav1.NewTime(now.Add(-d))) }
}

func with(options ...func(s *Stand)) []func(s *Stand) { return options }

func TestNext(t *testing.T) {
	tests := map[string]struct {
		step        v1beta1.ReplacementStep
		stand       []func(s *Stand)
		facts       Facts
		wantStep    v1beta1.ReplacementStep
		wantAct     Act
		wantWaiting string
		wantFailure string
	}{
		"a machine is added":       {step: v1beta1.StepSurge, facts: whole, wantStep: v1beta1.StepSurge, wantAct: Act{Kind: ActSurge}},
		"it was added before":      {step: v1beta1.StepSurge, facts: surged, wantStep: v1beta1.StepAwaitNewNode, wantWaiting: "node of the new machine new"},
		"gone before it was added": {step: v1beta1.StepSurge, facts: change(whole, gone), wantStep: v1beta1.StepAwaitReplaced, wantWaiting: "a new machine"},
		"no owner to add it to":    {step: v1beta1.StepSurge, facts: change(whole, ownerGone), wantStep: v1beta1.StepGivenUp, wantFailure: "is gone"},
		"withdrawn before it was added, and perhaps under way": {
			step: v1beta1.StepSurge, stand: with(withdrawnS), facts: whole, wantStep: v1beta1.StepUndo, wantFailure: withdrawn, wantWaiting: "for certain",
		},

		"new node is Ready":     {step: v1beta1.StepAwaitNewNode, stand: with(after(time.Minute)), facts: change(surged, newReady), wantStep: v1beta1.StepAwaitDrain, wantWaiting: "to be empty"},
		"nothing comes in time": {step: v1beta1.StepAwaitNewNode, stand: with(after(time.Hour)), facts: surged, wantStep: v1beta1.StepUndo, wantAct: Act{Kind: ActMark, Machine: "new"}, wantFailure: "within 30m0s"},
		"somebody has set the replicas": {
			step: v1beta1.StepAwaitNewNode, stand: with(after(time.Minute)), facts: change(surged, rescaled), wantStep: v1beta1.StepAwaitNewNode, wantAct: Act{Kind: ActForget},
		},
		"an early request is under way": {step: v1beta1.StepAwaitNewNode, stand: with(after(time.Second), withdrawnS), facts: surged, wantStep: v1beta1.StepAwaitNewNode, wantWaiting: "Ready"},
		"detached before the drain":     {step: v1beta1.StepAwaitNewNode, stand: with(after(time.Minute)), facts: change(surged, detached), wantStep: v1beta1.StepUndo, wantAct: Act{Kind: ActMark, Machine: "new"}, wantFailure: "does not belong"},

		"not empty":             {step: v1beta1.StepAwaitDrain, facts: surged, wantStep: v1beta1.StepAwaitDrain, wantWaiting: "to be empty"},
		"empty":                 {step: v1beta1.StepAwaitDrain, stand: with(mayDelete), facts: surged, wantStep: v1beta1.StepDelete, wantAct: Act{Kind: ActMark, Machine: "old"}},
		"withdrawn":             {step: v1beta1.StepAwaitDrain, stand: with(mayDelete, withdrawnS), facts: surged, wantStep: v1beta1.StepUndo, wantAct: Act{Kind: ActMark, Machine: "new"}, wantFailure: withdrawn},
		"another one is marked": {step: v1beta1.StepAwaitDrain, stand: with(mayDelete), facts: change(surged, markedElse), wantStep: v1beta1.StepDelete, wantWaiting: "machine sibling, which is marked"},

		"marked a moment ago":        {step: v1beta1.StepDelete, stand: with(mayDelete, after(time.Second)), facts: change(surged, markedOld), wantStep: v1beta1.StepDelete, wantWaiting: "to see which machine"},
		"marked":                     {step: v1beta1.StepDelete, stand: with(mayDelete, after(time.Minute)), facts: change(surged, markedOld), wantStep: v1beta1.StepDelete, wantAct: Act{Kind: ActScaleDown, Machine: "old"}},
		"marked, and not empty":      {step: v1beta1.StepDelete, stand: with(after(time.Minute)), facts: change(surged, markedOld), wantStep: v1beta1.StepAwaitDrain, wantAct: Act{Kind: ActUnmark, Machine: "old"}},
		"scaled down":                {step: v1beta1.StepDelete, stand: with(mayDelete), facts: change(whole, markedOld, func(f *Facts) { f.Live = 4 }), wantStep: v1beta1.StepDelete, wantAct: Act{Kind: ActDelete}},
		"scaled down, and withdrawn": {step: v1beta1.StepDelete, stand: with(mayDelete, withdrawnS), facts: change(whole, markedOld, func(f *Facts) { f.Live = 4 }), wantStep: v1beta1.StepDelete, wantWaiting: "take machine machines/old away"},
		"the set does not know yet":  {step: v1beta1.StepDelete, stand: with(mayDelete), facts: change(whole, markedOld, unsettled), wantStep: v1beta1.StepDelete, wantWaiting: "take machine machines/old away"},
		"deleted first":              {step: v1beta1.StepDelete, stand: with(mayDelete, deleteFirst), facts: whole, wantStep: v1beta1.StepDelete, wantAct: Act{Kind: ActDelete}},
		"deleted first, not empty":   {step: v1beta1.StepDelete, stand: with(deleteFirst), facts: whole, wantStep: v1beta1.StepAwaitDrain, wantWaiting: "to be empty"},
		"gone, and one too many":     {step: v1beta1.StepDelete, stand: with(mayDelete), facts: change(surged, gone, func(f *Facts) { f.Live = 4 }), wantStep: v1beta1.StepDelete, wantAct: Act{Kind: ActMark, Machine: "new"}},
		"gone, and none too many":    {step: v1beta1.StepDelete, stand: with(mayDelete, after(2*time.Minute)), facts: change(surged, gone), wantStep: v1beta1.StepDelete, wantAct: Act{Kind: ActScaleDown}},
		"detached when it was empty": {step: v1beta1.StepDelete, stand: with(mayDelete), facts: change(surged, detached), wantStep: v1beta1.StepDelete, wantAct: Act{Kind: ActForget}},
		"detached and forgotten":     {step: v1beta1.StepDelete, stand: with(mayDelete), facts: change(whole, detached), wantStep: v1beta1.StepGivenUp, wantFailure: "by hand"},

		"gone":                      {step: v1beta1.StepAwaitGone, stand: with(recorded), facts: change(whole, gone, newReady), wantStep: v1beta1.StepReplaced},
		"gone, and a new one found": {step: v1beta1.StepAwaitGone, facts: change(whole, gone, newReady), wantStep: v1beta1.StepAwaitReplaced, wantWaiting: "Ready"},
		"added late":                {step: v1beta1.StepAwaitGone, facts: change(whole, gone, added), wantStep: v1beta1.StepDelete, wantWaiting: "to add the machine that is then taken back"},
		"nothing comes instead":     {step: v1beta1.StepAwaitReplaced, stand: with(after(time.Hour)), facts: change(whole, gone), wantStep: v1beta1.StepAwaitReplaced, wantWaiting: "a new machine"},
		"withdrawn when it is gone": {step: v1beta1.StepAwaitReplaced, stand: with(withdrawnS), facts: change(whole, gone), wantStep: v1beta1.StepGivenUp, wantFailure: withdrawn},

		"undone":                    {step: v1beta1.StepUndo, stand: with(after(time.Minute)), facts: whole, wantStep: v1beta1.StepGivenUp},
		"the old mark is taken off": {step: v1beta1.StepUndo, facts: change(surged, markedOld), wantStep: v1beta1.StepUndo, wantAct: Act{Kind: ActUnmark, Machine: "old"}, wantWaiting: "machine old"},
		"undo, and the delete sent": {step: v1beta1.StepUndo, stand: with(withdrawnS), facts: change(whole, markedOld, func(f *Facts) { f.Live = 4 }), wantStep: v1beta1.StepDelete, wantWaiting: "take machine machines/old away"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stand := Stand{Timeout: 30 * time.Minute, Event: "event", Replacement: v1beta1.MachineReplacement{
				Strategy: v1beta1.SurgeFirst, Machine: machine, Owner: &owning, Step: test.step, StepTime: new(metav1.NewTime(now)),
			}}
			for _, set := range test.stand {
				set(&stand)
			}
			got := Next(stand, test.facts, now)
			if test.wantAct.Kind != ActNone {
				test.wantAct.Event = "event"
			}
			if got.Replacement.Step != test.wantStep || got.Act != test.wantAct {
				t.Errorf("step %s, act %+v, want %s, %+v", got.Replacement.Step, got.Act, test.wantStep, test.wantAct)
			}
			if (got.WaitingFor == "") != (test.wantWaiting == "") || !strings.Contains(got.WaitingFor, test.wantWaiting) {
				t.Errorf("waits for %q, want %q", got.WaitingFor, test.wantWaiting)
			}
			if !strings.Contains(got.Replacement.Failure, test.wantFailure) {
				t.Errorf("failure %q, want %q", got.Replacement.Failure, test.wantFailure)
			}
		})
	}
}
