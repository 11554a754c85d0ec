// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// TestRandomFacts walks through random changes of the facts, and looks at each decision. The seed is printed if one is
// wrong.
func TestRandomFacts(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 15))
		w := randomWorld(r)
		for range 30 {
			change(r, w)
			facts := w.Facts
			facts.Event = w.Event.DeepCopy()
			d := Decide(w.Facts)
			if !equality.Semantic.DeepEqual(facts.Event, w.Event) {
				t.Fatalf("seed %d: the facts were changed", seed)
			}
			check(t, fmt.Sprint("seed ", seed), w, d)
			generation := int64(0)
			if w.Hold != nil {
				generation = w.Hold.Generation
			}
			w.last = d
			w.store(d)
			again := Decide(w.Facts)
			// What was recorded may have it go on: a hold that has gone or was changed is seen to be so.
			goesOn := w.Hold == nil || generation != 0 && w.Hold.Generation != generation
			if !goesOn && !same(d, again) {
				t.Fatalf("seed %d: not stable:\n%+v %+v\n%+v %+v", seed, d, d.Hold, again, again.Hold)
			}
			w.last = again
			w.store(again)
			if last := Decide(w.Facts); !same(again, last) {
				t.Fatalf("seed %d: never stable:\n%+v %+v\n%+v %+v", seed, again, again.Hold, last, last.Hold)
			}
			if t.Failed() {
				return
			}
		}
	}
}

// same says whether a decision says again what it said, and sends nothing.
func same(d, again Decision) bool {
	holds := d.Hold == again.Hold || d.Hold != nil && again.Hold != nil &&
		equality.Semantic.DeepEqual(holdOf(&v1beta1.ScheduledEvent{}, d.Hold), holdOf(&v1beta1.ScheduledEvent{}, again.Hold))
	return holds && equality.Semantic.DeepEqual(d.Status, again.Status) && len(again.Notes) == 0
}

var steps = []v1beta1.ReplacementStep{
	v1beta1.StepSurge, v1beta1.StepAwaitNewNode, v1beta1.StepAwaitDrain, v1beta1.StepDelete, v1beta1.StepAwaitGone, v1beta1.StepAwaitReplaced,
	v1beta1.StepReplaced, v1beta1.StepUndo, v1beta1.StepGivenUp,
}

func randomWorld(r *rand.Rand) *world {
	codes := []string{v1beta1.CodeSystemReboot, v1beta1.CodeInstanceRetirement, "other"}
	w := newWorld(codes[r.IntN(len(codes))])
	if r.IntN(4) == 0 {
		w.Event.Spec.NotBefore = nil
	}
	if r.IntN(4) == 0 {
		w.node.Labels = map[string]string{"node-role.kubernetes.io/control-plane": ""}
	}
	if r.IntN(2) == 0 {
		w.Machine.Strategy = v1beta1.SurgeFirst
	}
	if r.IntN(4) == 0 {
		policy := policyOf("web", &v1beta1.PolicyEvents{AtLatestStart: v1beta1.LatestStartWait})
		policy.Spec.Schedule = &v1beta1.PolicySchedule{Windows: []v1beta1.PolicyWindow{{
			Name: "night", Weekly: &v1beta1.WeeklyTime{Start: "22:00", End: "04:00"},
		}}}
		w.Policies = []*v1beta1.MaintenancePolicy{policy}
	}
	w.MachineAPI, w.Machine.Known, w.Machine.Replaceable = r.IntN(8) > 0, r.IntN(4) > 0, r.IntN(4) > 0
	return w
}

// change changes one thing, as the world may.
func change(r *rand.Rand, w *world) {
	switch r.IntN(17) {
	case 0, 1:
		w.Now = w.Now.Add(time.Duration(r.IntN(24*60)) * time.Minute)
	case 2, 3, 4:
		if w.Hold != nil {
			w.cordon()
		}
	case 5, 6, 7:
		if w.Hold != nil {
			w.empty()
		}
	case 8:
		if w.Hold != nil {
			w.queue()
		}
	case 9, 10:
		replace(r, w)
	case 11:
		narrow(r, w)
	case 12:
		w.node = w.node.DeepCopy()
		setReady(w.node, []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse}[r.IntN(2)], w.Now)
		w.node.Status.NodeInfo.BootID = fmt.Sprint("boot-", r.IntN(3))
		if w.Found.Node != nil {
			w.Found.Node = w.node
		}
	case 13:
		end(r, w)
	case 14:
		w.Found = []Found{{Node: w.node}, {Node: w.node}, {Gone: true}, {Reason: ReasonNodeNotFound, Message: "no node"}}[r.IntN(4)]
		if w.Event.Status.NodeUID == "" && w.Found.Gone || w.Event.Status.DrainStartTime != nil && w.Found.Reason != "" {
			w.Found = Found{Node: w.node}
		}
	case 16:
		keep(r, w)
	case 15:
		w.Others = []Other{{
			Name: "e-0", Node: "w-0", NodeUID: []types.UID{"uid-w-1", "uid-w-0"}[r.IntN(2)], Action: v1beta1.EventActionReplace, ControlPlane: r.IntN(2) == 0,
			Created: began.Add(-time.Hour), Start: began, Active: r.IntN(2) == 0, Waiting: r.IntN(2) == 0, Replaced: r.IntN(4) == 0,
			GaveUp: r.IntN(4) == 0,
		}}[:r.IntN(2)]
	}
}

// replace has the replacement take a step, if it may.
func replace(r *rand.Rand, w *world) {
	strategy := []v1beta1.ReplacementStrategy{v1beta1.SurgeFirst, v1beta1.DeleteFirst}[r.IntN(2)]
	s := w.Event.Status
	switch {
	case s.EndTime != nil:
	case w.last.Undo || s.Replacement != nil && s.Replacement.Step == v1beta1.StepUndo:
		w.step([]v1beta1.ReplacementStep{v1beta1.StepUndo, v1beta1.StepGivenUp, v1beta1.StepDelete, v1beta1.StepAwaitGone}[r.IntN(4)], strategy)
	case w.last.MayReplace && s.Phase != v1beta1.EventPhaseReturning:
		w.step(steps[r.IntN(len(steps))], strategy)
	}
}

// keep has the API server delete holds, or not, or begin to delete that of the event.
func keep(r *rand.Rand, w *world) {
	w.keepsHold = r.IntN(2) == 0
	if w.keepsHold && w.Hold != nil && w.last.Hold == nil && r.IntN(2) == 0 {
		w.Hold = w.Hold.DeepCopy()
		w.Hold.DeletionTimestamp = ptr.To(metav1.NewTime(w.Now))
	}
}

// narrow has somebody change the hold.
func narrow(r *rand.Rand, w *world) {
	if w.Hold == nil {
		return
	}
	h := w.Hold.DeepCopy()
	switch r.IntN(7) {
	case 0:
		h.Spec.Drain.PodSelector = &metav1.LabelSelector{}
	case 1:
		h.Spec.Drain.Rules = []v1beta1.DrainRule{{Action: v1beta1.ActionSkip}}
	case 2:
		h.Spec.Stage = v1beta1.StageIdle
	case 3:
		h.Status.NodeUID = "other"
	case 4:
		h.OwnerReferences[0].UID = "other"
	case 5:
		h.Status.SkippedPodCount = 1
	case 6:
		h.Generation++
	}
	w.Hold = h
}

func end(r *rand.Rand, w *world) {
	w.Event = w.Event.DeepCopy()
	switch r.IntN(6) {
	case 0:
		if w.Event.Spec.State == v1beta1.EventCompleted {
			return
		}
		w.Event.Spec.State = v1beta1.EventCanceled
	case 1:
		if w.Event.Spec.State == v1beta1.EventCanceled {
			return
		}
		w.Event.Spec.State = v1beta1.EventCompleted
	case 2:
		w.Event.DeletionTimestamp = ptr.To(metav1.NewTime(w.Now))
	}
}

// check is what holds of each decision.
func check(t *testing.T, name string, w *world, d Decision) {
	t.Helper()
	h, s := w.Hold, d.Status
	step := v1beta1.ReplacementStep("")
	if w.Event.Status.Replacement != nil {
		step = w.Event.Status.Replacement.Step
	}
	wrong := func(when bool, what string) {
		if when {
			t.Errorf("%s: %s: step %s\n%+v\nhold wanted %+v\nbefore %+v\nhold %+v", name, what, step, d, d.Hold, w.Event.Status, w.Hold)
		}
	}
	if d.MayDelete {
		wrong(w.Found.Node == nil || h == nil || d.Hold == nil, "deletes without a node or a hold")
		empty := emptied(h, w.node)
		wrong(empty == nil || empty.Reason != v1beta1.ReasonNodeEmpty || h.Status.NodeUID != w.node.UID || h.Status.ObservedGeneration != h.Generation, "deletes a node that is not empty")
		wrong(len(h.Spec.Drain.Rules) > 0 || h.Spec.Drain.PodSelector != nil || h.Spec.Stage != v1beta1.StageDrain || h.Status.SkippedPodCount > 0, "deletes though the drain is narrow")
		wrong(h.OwnerReferences[0].UID != w.Event.UID, "deletes by another's hold")
		wrong(step != v1beta1.StepAwaitDrain && step != v1beta1.StepDelete, "deletes out of turn")
		ready := w.node.Status.Conditions[0].Status == corev1.ConditionTrue
		back := w.Event.Spec.Source != v1beta1.AWSSource || restarted(w.Event.Status.BootID, w.node)
		wrong(w.Event.Spec.State == v1beta1.EventCompleted && ready && back, "deletes a machine that has come back")
	}
	wrong((d.MayReplace || d.MayDelete || d.Undo) && (!w.MachineAPI || w.Event.Status.DrainStartTime == nil), "touches machines too early, or though it is not to")
	// A machine that goes although its replacement was undone is going by itself.
	undone := w.Event.Status.Phase == v1beta1.EventPhaseReturning && step != v1beta1.StepAwaitDrain
	going := step == v1beta1.StepAwaitDrain || step == v1beta1.StepDelete || step == v1beta1.StepAwaitGone
	wrong(going && !undone && w.Found.Node != nil && h != nil && d.Hold == nil && w.Event.Status.EndTime == nil, "gives the node back while its machine is replaced")
	wrong(Withdrawn(w.Event) && w.Event.Status.DrainStartTime == nil && d.Hold != nil, "a hold for what does not happen")
	wrong(s.StartTime != nil && s.LatestStartTime != nil && s.StartTime.After(later(s.LatestStartTime.Time, began)), "starts after the latest start")
	wrong(d.Hold != nil && (d.Hold.Stage == v1beta1.StageIdle || d.Hold.Node != s.NodeName || d.Hold.Name != s.Maintenance), "a wrong hold")
	wrong(d.Finalized && (h != nil || going), "finalized too early")
	ended := s.Phase == v1beta1.EventPhaseCompleted || s.Phase == v1beta1.EventPhaseCanceled
	forgotten := s.Phase == v1beta1.EventPhaseIgnored && s.EndTime != nil
	wrong(forgotten && s.EndTime.Before(&metav1.Time{Time: began.Add(ignoredFor)}), "forgotten too early")
	ended = ended || forgotten
	wrong(ended != (s.EndTime != nil) || ended && (s.Outcome == "" || d.Hold != nil || d.MayReplace), "ended in part")
	wrong(!ended && s.Phase != v1beta1.EventPhaseIgnored && s.WaitingFor == "", "says nothing")
	wrong(s.Phase == "", "no phase")
}
