// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// latest is the time when the drain of newWorld has to start: 20 minutes for the drain, and 10 for what may go wrong.
var latest = due.Add(-30 * time.Minute)

func TestDrainAndReturn(t *testing.T) {
	w := newWorld(v1beta1.CodeSystemReboot)
	d := w.decide(t)
	w.expect(t, v1beta1.EventPhasePending, "")
	if d.Hold == nil || !d.Hold.NotBefore.Equal(latest.Add(-time.Hour)) || !d.Hold.StartDeadline.Equal(latest) || d.Hold.Bypass ||
		d.Hold.Stage != v1beta1.StageDrain || !d.Again.Equal(latest.Add(-time.Hour)) {
		t.Fatalf("hold %+v, again %s", d.Hold, d.Again)
	}
	w.at(latest.Add(-time.Hour)).cordon()
	d = w.decide(t)
	w.expect(t, v1beta1.EventPhaseDraining, "")
	if w.Event.Status.BootID != "boot-1" || w.Event.Status.DrainStartTime == nil {
		t.Errorf("status %+v", w.Event.Status)
	}
	w.empty()
	d = w.at(w.Now.Add(time.Minute)).decide(t)
	w.expect(t, v1beta1.EventPhaseDrained, "")
	if d.MayReplace || d.MayDelete || d.Hold == nil {
		t.Errorf("decision %+v", d)
	}
	w.node.Status.NodeInfo.BootID = "boot-2"
	setReady(w.node, corev1.ConditionFalse, due)
	if d = w.at(due).decide(t); d.Hold == nil || !strings.Contains(d.Status.WaitingFor, "Ready") {
		t.Errorf("node is not Ready: %+v", d)
	}
	setReady(w.node, corev1.ConditionTrue, due)
	hold := w.Hold
	if d = w.decide(t); d.Hold != nil {
		t.Errorf("node is back: hold %+v", d.Hold)
	}
	w.expect(t, v1beta1.EventPhaseReturning, "")
	w.Hold = hold // the API server refused to delete it
	setReady(w.node, corev1.ConditionFalse, due)
	if d = w.decide(t); d.Hold == nil {
		t.Error("the node has gone once more: no hold")
	}
	w.expect(t, v1beta1.EventPhaseDrained, "")
	setReady(w.node, corev1.ConditionTrue, due)
	w.decide(t)
	w.expect(t, v1beta1.EventPhaseReturning, "")
	w.Hold = hold
	w.Hold.DeletionTimestamp = &metav1.Time{Time: due}
	setReady(w.node, corev1.ConditionFalse, due) // once it is being given back, that goes on
	w.decide(t)
	w.expect(t, v1beta1.EventPhaseReturning, "")
	w.decide(t)
	w.expect(t, v1beta1.EventPhaseCompleted, "")
	w.expectSaid(t, ReasonDrainScheduled, ReasonDrainStarted, ReasonDrained, ReasonMachineReturned, ReasonMachineReturned, ReasonEventCompleted)
	if w.at(due.Add(8 * 24 * time.Hour)).decide(t); !w.last.Expired {
		t.Error("not deleted after a week")
	}
}

func TestAtLatestStart(t *testing.T) {
	tests := map[string]struct {
		policies []*v1beta1.MaintenancePolicy
		early    bool
		unseen   bool
		bypass   bool
		blocked  string
		said     string
	}{
		"before":      {early: true},
		"at it":       {bypass: true, said: ReasonStartedInSpiteOfPolicies},
		"not seen":    {unseen: true},
		"policy says": {policies: []*v1beta1.MaintenancePolicy{policyOf("web", &v1beta1.PolicyEvents{AtLatestStart: v1beta1.LatestStartWait})}, blocked: ReasonLatestStartPassed, said: ReasonLatestStartPassed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(v1beta1.CodeSystemReboot)
			w.Policies = test.policies
			w.decide(t)
			w.queue()
			if test.unseen {
				w.Hold.Generation++
			}
			w.at(latest)
			if test.early {
				w.at(latest.Add(-time.Second))
			}
			w.said = nil
			d := w.decide(t)
			w.expect(t, v1beta1.EventPhasePending, test.blocked)
			if d.Hold == nil || d.Hold.Bypass != test.bypass || strings.Join(w.said, " ") != test.said {
				t.Errorf("hold %+v, said %v", d.Hold, w.said)
			}
			if w.decide(t); len(w.last.Notes) > 0 {
				t.Errorf("said again: %v", w.last.Notes)
			}
		})
	}
}

func TestLateStart(t *testing.T) {
	for name, late := range map[string]bool{"too late": true, "late, but in time": false} {
		w := newWorld(v1beta1.CodeSystemReboot)
		by := began.Add(25 * time.Minute)
		if late {
			by = began.Add(15 * time.Minute)
		}
		w.Event.Spec.NotBefore = ptr.To(metav1.NewTime(by))
		d := w.decide(t)
		if d.Hold == nil || !d.Hold.NotBefore.IsZero() || !d.Hold.StartDeadline.IsZero() {
			t.Errorf("%s: hold %+v", name, d.Hold)
		}
		if got := len(w.said) == 2 && w.said[1] == ReasonLateStart; got != late {
			t.Errorf("%s: said %v", name, w.said)
		}
	}
}

func TestSurge(t *testing.T) {
	w := newWorld(v1beta1.CodeInstanceRetirement)
	w.Machine.Strategy = v1beta1.SurgeFirst
	d := w.decide(t)
	if d.Hold.Stage != v1beta1.StageCordon || !d.Hold.NotBefore.IsZero() || !w.Event.Status.LatestStartTime.Time.Equal(latest.Add(-30*time.Minute)) {
		t.Fatalf("hold %+v, status %+v", d.Hold, d.Status)
	}
	w.cordon()
	if d = w.decide(t); d.MayReplace || d.Hold.Stage != v1beta1.StageCordon {
		t.Errorf("the start is not recorded yet: %+v", d)
	}
	if d = w.decide(t); !d.MayReplace || d.MayDelete {
		t.Errorf("the start is recorded: %+v", d)
	}
	w.expect(t, v1beta1.EventPhaseReplacing, "")
	w.step(v1beta1.StepAwaitNewNode, v1beta1.SurgeFirst)
	if d = w.decide(t); d.Hold.Stage != v1beta1.StageCordon {
		t.Errorf("the new node is not Ready: %+v", d)
	}
	before := *w
	if d = w.at(latest).decide(t); d.Hold.Stage != v1beta1.StageDrain {
		t.Errorf("the drain has to start: %+v", d)
	}
	*w = before
	w.step(v1beta1.StepAwaitDrain, v1beta1.SurgeFirst)
	w.decide(t)
	w.expect(t, v1beta1.EventPhaseDraining, "")
	w.empty()
	if d = w.decide(t); !d.MayDelete {
		t.Errorf("empty: %+v", d)
	}
	w.step(v1beta1.StepAwaitGone, v1beta1.SurgeFirst)
	if d = w.decide(t); d.Hold == nil || d.MayDelete {
		t.Errorf("the machine is going: %+v", d)
	}
	w.step(v1beta1.StepReplaced, v1beta1.SurgeFirst)
	if d = w.decide(t); d.Hold == nil || !strings.Contains(d.Status.WaitingFor, "to be deleted") {
		t.Errorf("the node is still there: %+v", d)
	}
	w.gone()
	w.decide(t)
	w.decide(t)
	w.expect(t, v1beta1.EventPhaseCompleted, "")
}

func TestReplacementFails(t *testing.T) {
	w := newWorld(v1beta1.CodeInstanceRetirement)
	w.Machine.Strategy = v1beta1.SurgeFirst
	w.decide(t)
	w.cordon()
	w.decide(t)
	w.step(v1beta1.StepUndo, v1beta1.SurgeFirst)
	if d := w.decide(t); d.Hold != nil || !d.MayReplace {
		t.Errorf("the node stays in service: %+v", d)
	}
	w.expect(t, v1beta1.EventPhaseReplacing, ReasonReplacementFailed)
	w.step(v1beta1.StepGivenUp, v1beta1.SurgeFirst)
	d := w.decide(t)
	w.expect(t, v1beta1.EventPhasePending, ReasonReplacementFailed)
	if w.Event.Status.DrainStartTime != nil || d.Hold == nil || d.Hold.Stage != v1beta1.StageDrain || !d.Hold.NotBefore.Equal(latest.Add(-time.Hour)) {
		t.Fatalf("it begins anew: %+v", d.Hold)
	}
	w.at(latest).cordon()
	w.decide(t)
	w.expect(t, v1beta1.EventPhaseDraining, ReasonReplacementFailed)
	w.empty()
	if d = w.decide(t); d.MayReplace || d.MayDelete {
		t.Errorf("it is not replaced any more: %+v", d)
	}
	w.expect(t, v1beta1.EventPhaseDrained, ReasonReplacementFailed)
}

func TestNothingReplaces(t *testing.T) {
	tests := map[string]func(w *world){
		"off":        func(w *world) { w.MachineAPI = false },
		"no machine": func(w *world) { w.Machine = Machine{Known: true} },
		"no owner":   func(w *world) { w.Machine.Replaceable, w.Machine.Why = false, "it has no MachineSet" },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(v1beta1.CodeInstanceStop)
			change(w)
			d := w.decide(t)
			w.expect(t, v1beta1.EventPhasePending, ReasonNoOwner)
			if !d.Hold.NotBefore.Equal(latest.Add(-time.Hour)) {
				t.Errorf("it is drained as for a reboot: %+v", d.Hold)
			}
			w.at(latest).cordon()
			w.decide(t)
			w.empty()
			d = w.decide(t)
			w.expect(t, v1beta1.EventPhaseDrained, ReasonNoOwner)
			w.node.Status.NodeInfo.BootID = "boot-2"
			if d = w.decide(t); d.Hold == nil || d.MayReplace || d.MayDelete {
				t.Errorf("a stopped machine does not come back: %+v", d)
			}
			w.gone()
			w.decide(t)
			w.decide(t)
			w.expect(t, v1beta1.EventPhaseCompleted, "")
		})
	}
}

func TestControlPlaneIsNotReplaced(t *testing.T) {
	w := newWorld(v1beta1.CodeInstanceStop)
	w.node.Labels = map[string]string{"node-role.kubernetes.io/control-plane": ""}
	w.Machine.Replaceable = false
	if d := w.at(due).decide(t); d.Hold != nil || d.MayReplace {
		t.Errorf("nothing is drained: %+v", d)
	}
	w.expect(t, v1beta1.EventPhasePending, ReasonControlPlaneNotReplaced)
	w.Machine.Replaceable, w.Machine.Strategy = true, v1beta1.SurgeFirst
	if d := w.decide(t); d.Hold == nil || d.Hold.Stage != v1beta1.StageDrain {
		t.Errorf("its controller replaces it after the delete: %+v", d.Hold)
	}
}

func TestMachineNotAskedYet(t *testing.T) {
	w := newWorld(v1beta1.CodeInstanceStop)
	w.Machine = Machine{Why: "the API server does not answer"}
	if d := w.decide(t); d.Hold != nil {
		t.Errorf("hold %+v", d.Hold)
	}
	if d := w.at(latest).decide(t); d.Hold == nil || d.Hold.Stage != v1beta1.StageDrain {
		t.Errorf("the drain has to start: %+v", d.Hold)
	}
}

func TestIgnored(t *testing.T) {
	w := newWorld("volume-magic")
	if d := w.decide(t); d.Hold != nil {
		t.Errorf("hold %+v", d.Hold)
	}
	w.expect(t, v1beta1.EventPhaseIgnored, "")
	w.expectSaid(t, ReasonUnknownCode)
	w.Policies = []*v1beta1.MaintenancePolicy{policyOf("web", &v1beta1.PolicyEvents{Actions: []v1beta1.PolicyEventAction{
		{Code: "volume-magic", Action: v1beta1.EventActionDrain},
	}})}
	if d := w.decide(t); d.Hold == nil || d.Status.Policy != "web" || d.Status.Outcome != "" {
		t.Errorf("a policy says what: %+v", d)
	}
}

func TestIgnoredUntilItIsOver(t *testing.T) {
	for name, test := range map[string]struct {
		spec func(*v1beta1.ScheduledEventSpec)
		over time.Time
	}{
		"it begins in three days": {func(*v1beta1.ScheduledEventSpec) {}, due},
		"it ends in four days": {func(spec *v1beta1.ScheduledEventSpec) {
			spec.NotAfter, spec.Deadline = ptr.To(metav1.NewTime(due.Add(24*time.Hour))), ptr.To(metav1.NewTime(due))
		}, due.Add(24 * time.Hour)},
		"it has no times": {func(spec *v1beta1.ScheduledEventSpec) { spec.NotBefore = nil }, began},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld("volume-magic")
			test.spec(&w.Event.Spec)
			end := test.over.Add(24 * time.Hour)
			if d := w.at(end.Add(-time.Second)).decide(t); d.Status.EndTime != nil || !d.Again.Equal(end) {
				t.Errorf("it ends at %v, and is looked at again at %s, want that at %s", d.Status.EndTime, d.Again, end)
			}
			d := w.at(end).decide(t)
			w.expect(t, v1beta1.EventPhaseIgnored, "")
			if d.Status.EndTime == nil || d.Status.Outcome == "" {
				t.Errorf("it has not ended: %+v", d.Status)
			}
			if d := w.at(end.Add(kept)).decide(t); !d.Expired {
				t.Error("it is kept for longer than others")
			}
		})
	}
}
