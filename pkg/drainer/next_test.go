// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// What is done for a node follows from its situation and from what the steps found so far. Each case says of every step
// between the first and the last ones, which are the same for all.
func TestNext(t *testing.T) {
	broken := errors.New("broken")
	a := holdOf(drainertest.Hold{Name: "a"})
	a.Lacks = true
	waits := &holdstatus.Wait{Reason: "LeaseHeld"}
	ours := nodemarks.NodeMarks{Annotated: true, Tainted: true, Ours: true}
	found := map[step]func(v *view){
		readNode:     func(v *view) { v.ours = &v1beta1.NodeBefore{} },
		recordBefore: func(v *view) { v.before = &v1beta1.NodeBefore{} },
		cordonNode:   func(v *view) { v.cordoned = true },
		giveNodeBack: func(v *view) { v.marks, v.memory.unreleased = nodemarks.NodeMarks{}, v.situation == holdstatus.Unheld },
	}
	kept := map[step]func(v *view){readNode: found[readNode], askKeepers: func(v *view) { v.keeps = waits }}
	tests := map[string]struct {
		view  view
		node  bool
		finds map[step]func(v *view)
		fails map[step]error
		want  []step
	}{
		"a drain": {
			view: view{Holds: holdstatus.Holds{Active: []holdstatus.Hold{a}, Ending: []holdstatus.Hold{a}}}, node: true,
			want: []step{watchPods, readNode, recordBefore, holdBack, endHolds, askGates, cordonNode, drainNode, saveStatuses, saveConditions},
		},
		"pods cannot be watched": {
			view: view{Holds: holdstatus.Holds{Active: []holdstatus.Hold{a}}}, node: true, fails: map[step]error{watchPods: broken}, want: []step{watchPods},
		},
		"nothing is recorded": {
			view: view{Holds: holdstatus.Holds{Active: []holdstatus.Hold{a}}}, node: true, finds: map[step]func(v *view){}, want: []step{watchPods, readNode, recordBefore, pauseDrain},
		},
		"the record is refused as old": {
			view: view{Holds: holdstatus.Holds{Active: []holdstatus.Hold{a}}}, node: true, fails: map[step]error{recordBefore: errCacheBehind},
			want: []step{watchPods, readNode, recordBefore, pauseDrain},
		},
		"a gate makes it wait": {
			view: view{Holds: holdstatus.Holds{Active: []holdstatus.Hold{a}}}, node: true,
			finds: map[step]func(v *view){recordBefore: found[recordBefore], askGates: func(v *view) { v.waitsFor = waits }},
			want:  []step{watchPods, readNode, recordBefore, endHolds, askGates, pauseDrain, saveStatuses},
		},
		"a gate fails": {
			view: view{Holds: holdstatus.Holds{Active: []holdstatus.Hold{a}}}, node: true, fails: map[step]error{askGates: broken},
			want: []step{watchPods, readNode, recordBefore, endHolds, askGates, pauseDrain, saveStatuses},
		},
		"a gate fails for a node in maintenance": {
			view: view{Holds: holdstatus.Holds{Active: []holdstatus.Hold{a}}, marks: ours}, node: true, fails: map[step]error{askGates: broken},
			want: []step{watchPods, readNode, recordBefore, endHolds, askGates, sayUnanswered, pauseDrain},
		},
		"the cordon is refused as old": {
			view: view{Holds: holdstatus.Holds{Active: []holdstatus.Hold{a}}}, node: true, fails: map[step]error{cordonNode: errCacheBehind},
			finds: map[step]func(v *view){recordBefore: found[recordBefore]},
			want:  []step{watchPods, readNode, recordBefore, endHolds, askGates, cordonNode, pauseDrain},
		},
		"given back": {
			view: view{Holds: holdstatus.Holds{Ending: []holdstatus.Hold{a}}, situation: holdstatus.Unwanted, marks: ours}, node: true,
			want: []step{readNode, askKeepers, giveNodeBack, showPlanned, saveConditions, releaseGates, saveStatuses, endHolds},
		},
		"never taken": {
			view: view{Holds: holdstatus.Holds{Active: []holdstatus.Hold{a}}, situation: holdstatus.Unwanted}, node: true, want: []step{showPlanned, saveConditions, releaseGates, saveStatuses, endHolds},
		},
		"kept by a gate": {
			view: view{situation: holdstatus.Unwanted, marks: ours}, node: true, finds: kept, want: []step{readNode, askKeepers, sayKept},
		},
		"the give-back fails": {
			view: view{situation: holdstatus.Unwanted, marks: ours}, node: true, fails: map[step]error{giveNodeBack: broken},
			want: []step{readNode, askKeepers, giveNodeBack, sayNotGiven},
		},
		"the give-back is refused as old": {
			view: view{situation: holdstatus.Unwanted, marks: ours}, node: true, fails: map[step]error{giveNodeBack: errCacheBehind},
			want: []step{readNode, askKeepers, giveNodeBack},
		},
		"the release fails": {
			view: view{situation: holdstatus.Unwanted}, node: true, fails: map[step]error{releaseGates: broken},
			want: []step{showPlanned, saveConditions, releaseGates, sayNotReleased, saveStatuses},
		},
		"a node that is gone": {
			view: view{Holds: holdstatus.Holds{Ending: []holdstatus.Hold{a}}, situation: holdstatus.Gone}, want: []step{confirmGone, releaseGates, saveStatuses, endHolds},
		},
		"perhaps gone": {
			view: view{situation: holdstatus.Gone, gateHolds: true}, fails: map[step]error{confirmGone: broken}, want: []step{confirmGone, saveStatuses},
		},
		"it is not known what is wanted": {
			view: view{Holds: holdstatus.Holds{Recorded: &v1beta1.NodeBefore{}}, situation: holdstatus.Undecided, marks: ours}, node: true, want: []step{askGates, endHolds, sayUnknown},
		},
		"no hold": {view: view{situation: holdstatus.Unheld}, node: true, want: []step{showPlanned, saveConditions, forgetNode}},
		"no hold, no node, but a gate names it": {
			view: view{situation: holdstatus.Unheld, named: true}, want: []step{confirmUnheld, forgetNode},
		},
		"left behind": {
			view: view{situation: holdstatus.Unheld, marks: ours}, node: true,
			want: []step{showPlanned, readNode, askKeepers, giveNodeBack, releaseGates, saveConditions, forgetNode},
		},
		"left behind, and kept by a gate": {
			view: view{situation: holdstatus.Unheld, marks: ours}, node: true, finds: kept, want: []step{showPlanned, readNode, askKeepers},
		},
		"left behind by another server": {
			view: view{situation: holdstatus.Unheld, marks: nodemarks.NodeMarks{Annotated: true, Tainted: true, Anothers: true}}, node: true,
			want: []step{showPlanned, tellLeftBehind},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			v, finds := &test.view, test.finds
			v.done, v.memory = map[step]error{}, &nodeMemory{}
			if test.node {
				v.node = &corev1.Node{}
			}
			v.drains = test.node && v.Stage() == v1beta1.StageDrain
			if finds == nil {
				finds = found
			}
			want := append([]step{deleteExpired, tellUnread}, test.want...)
			if !v.drains {
				want = append([]step{deleteExpired, tellUnread, forgetDrain}, test.want...)
			}
			var got []step
			for s := next(v); s != rest && len(got) < 20; s = next(v) {
				got = append(got, s)
				if v.done[s] = test.fails[s]; v.done[s] == nil && finds[s] != nil {
					finds[s](v)
				}
			}
			if diff := cmp.Diff(append(want, saveReleased), got); diff != "" {
				t.Errorf("the steps (-want +got):\n%s", diff)
			}
		})
	}
}

// holdOf is a hold as a look at its node finds it.
func holdOf(h drainertest.Hold) holdstatus.Hold {
	return holdstatus.NewHold(h.Object(), &holdstatus.HoldMemory{}, drainertest.Epoch)
}
