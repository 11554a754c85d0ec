// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestWithdraw(t *testing.T) {
	tests := map[string]struct {
		step     v1beta1.ReplacementStep
		deleted  bool
		keeps    bool
		undo     bool
		phase    v1beta1.ScheduledEventPhase
		finished bool
	}{
		"drain":                  {phase: v1beta1.EventPhaseReturning},
		"machine added":          {step: v1beta1.StepAwaitNewNode, keeps: true, undo: true, phase: v1beta1.EventPhaseReturning},
		"before the delete":      {step: v1beta1.StepAwaitDrain, keeps: true, undo: true, phase: v1beta1.EventPhaseReturning},
		"being undone":           {step: v1beta1.StepUndo, keeps: true, undo: true, phase: v1beta1.EventPhaseReturning},
		"undone":                 {step: v1beta1.StepGivenUp, phase: v1beta1.EventPhaseReturning},
		"delete to be sent":      {step: v1beta1.StepDelete, keeps: true, undo: true, phase: v1beta1.EventPhaseReplacing},
		"machine going":          {step: v1beta1.StepAwaitGone, keeps: true, phase: v1beta1.EventPhaseReplacing},
		"machine going, deleted": {step: v1beta1.StepAwaitGone, deleted: true, keeps: true, phase: v1beta1.EventPhaseReplacing},
		"machine gone":           {step: v1beta1.StepAwaitReplaced, keeps: true, phase: v1beta1.EventPhaseReplacing},
		"machine gone, deleted":  {step: v1beta1.StepAwaitReplaced, deleted: true, phase: v1beta1.EventPhaseReturning, finished: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(v1beta1.CodeInstanceStop)
			w.decide(t)
			w.cordon()
			w.decide(t)
			w.empty()
			w.decide(t)
			if test.step != "" {
				w.step(test.step, v1beta1.SurgeFirst)
			}
			w.Event.Spec.State = v1beta1.EventCanceled
			if test.deleted {
				w.Event.DeletionTimestamp = &metav1.Time{Time: began}
			}
			d := w.decide(t)
			if (d.Hold != nil) != test.keeps || d.Undo != test.undo || d.Status.Phase != test.phase || d.Finalized {
				t.Errorf("decision %+v, hold %+v", d, d.Hold)
			}
			if test.finished && !w.decide(t).Finalized {
				t.Error("not finalized")
			}
		})
	}
}

// An event that has happened, with its node Ready, takes no machine away any more, unless the delete was sent.
func TestCompletedWhileReplacing(t *testing.T) {
	tests := map[string]struct {
		step    v1beta1.ReplacementStep
		ready   corev1.ConditionStatus
		undo    bool
		returns bool
	}{
		"to be added":           {step: v1beta1.StepSurge, ready: corev1.ConditionTrue, undo: true},
		"machine added":         {step: v1beta1.StepAwaitNewNode, ready: corev1.ConditionTrue, undo: true},
		"before the delete":     {step: v1beta1.StepAwaitDrain, ready: corev1.ConditionTrue, undo: true},
		"delete to be sent":     {step: v1beta1.StepDelete, ready: corev1.ConditionTrue, undo: true},
		"being undone":          {step: v1beta1.StepUndo, ready: corev1.ConditionTrue, undo: true},
		"undone":                {step: v1beta1.StepGivenUp, ready: corev1.ConditionTrue, returns: true},
		"machine going":         {step: v1beta1.StepAwaitGone, ready: corev1.ConditionTrue},
		"machine gone":          {step: v1beta1.StepAwaitReplaced, ready: corev1.ConditionTrue},
		"added, and not Ready":  {step: v1beta1.StepAwaitNewNode, ready: corev1.ConditionFalse},
		"delete, and not Ready": {step: v1beta1.StepDelete, ready: corev1.ConditionFalse},
	}
	for name, test := range tests {
		for _, drained := range []bool{false, true} {
			w := newWorld(v1beta1.CodeInstanceRetirement)
			w.Machine.Strategy = v1beta1.SurgeFirst
			w.decide(t)
			w.cordon()
			w.decide(t)
			if drained {
				w.step(v1beta1.StepAwaitDrain, v1beta1.SurgeFirst)
				w.decide(t)
				w.empty()
			}
			w.step(test.step, v1beta1.SurgeFirst)
			setReady(w.node, test.ready, began)
			w.Event.Spec.State = v1beta1.EventCompleted
			d := w.decide(t)
			mayDelete := drained && test.step == v1beta1.StepDelete && test.ready == corev1.ConditionFalse
			if d.Undo != test.undo || d.MayDelete != mayDelete || (d.Hold == nil) != test.returns {
				t.Errorf("%s, drained %t: decision %+v, hold %+v", name, drained, d, d.Hold)
			}
			if phase := d.Status.Phase; test.undo && phase != v1beta1.EventPhaseReplacing || test.returns && phase != v1beta1.EventPhaseReturning {
				t.Errorf("%s, drained %t: phase %s", name, drained, phase)
			}
			w.expect(t, d.Status.Phase, "")
		}
	}
}

// AWS says that a machine was stopped before its node looks so. Only a machine that has started anew is back.
func TestStoppedByAWS(t *testing.T) {
	tests := map[string]struct {
		bootID    string
		restarted bool
		undo      bool
	}{
		"still looks Ready":                 {bootID: "boot-1"},
		"started anew":                      {bootID: "boot-1", restarted: true, undo: true},
		"still looks Ready, no boot ID":     {},
		"Ready since the drain, no boot ID": {restarted: true, undo: true},
	}
	for name, test := range tests {
		for _, step := range []v1beta1.ReplacementStep{"", v1beta1.StepAwaitNewNode, v1beta1.StepAwaitDrain} {
			w := newWorld(v1beta1.CodeInstanceRetirement)
			w.Event.Spec.Source, w.node.Status.NodeInfo.BootID = v1beta1.AWSSource, test.bootID
			w.decide(t)
			w.cordon()
			w.decide(t)
			if step != "" {
				w.step(step, v1beta1.SurgeFirst)
			}
			if test.restarted {
				setReady(w.node, corev1.ConditionTrue, began.Add(time.Minute))
				if test.bootID != "" {
					w.node.Status.NodeInfo.BootID = "boot-2"
				}
			}
			w.Event.Spec.State = v1beta1.EventCompleted
			d := w.decide(t)
			givesBack := step == "" && test.undo
			if d.Undo != (test.undo && step != "") || (d.Hold == nil) != givesBack {
				t.Errorf("%s, step %q: decision %+v, hold %+v", name, step, d, d.Hold)
			}
		}
	}
}

// If nothing replaces the machine, the word of AWS is enough: nobody else could end the event.
func TestCompletedByAWSWithoutReplacement(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"no owner":        func(w *world) { w.Machine = Machine{Known: true, Name: "infra/m-1", Why: "it has no owner"} },
		"no machine API":  func(w *world) { w.MachineAPI = false },
		"it was given up": func(w *world) { w.step(v1beta1.StepGivenUp, v1beta1.SurgeFirst) },
	} {
		w := newWorld(v1beta1.CodeInstanceRetirement)
		w.Event.Spec.Source = v1beta1.AWSSource
		w.node.Status.NodeInfo.BootID = "boot-1"
		w.decide(t)
		w.at(latest).decide(t)
		w.cordon()
		change(w)
		w.decide(t)
		w.empty()
		w.decide(t)
		w.Event.Spec.State = v1beta1.EventCompleted
		if d := w.decide(t); d.Hold != nil || d.MayDelete {
			t.Errorf("%s: decision %+v, hold %+v", name, d, d.Hold)
		}
	}
}

func TestNotStarted(t *testing.T) {
	tests := map[string]struct {
		change func(e *v1beta1.ScheduledEvent)
		phase  v1beta1.ScheduledEventPhase
	}{
		"canceled":  {func(e *v1beta1.ScheduledEvent) { e.Spec.State = v1beta1.EventCanceled }, v1beta1.EventPhaseCanceled},
		"completed": {func(e *v1beta1.ScheduledEvent) { e.Spec.State = v1beta1.EventCompleted }, v1beta1.EventPhaseCompleted},
		"deleted":   {func(e *v1beta1.ScheduledEvent) { e.DeletionTimestamp = &metav1.Time{Time: began} }, v1beta1.EventPhaseCanceled},
	}
	for name, test := range tests {
		w := newWorld(v1beta1.CodeSystemReboot)
		w.decide(t)
		test.change(w.Event)
		hold := w.Hold
		if d := w.decide(t); d.Hold != nil || d.Status.Phase != v1beta1.EventPhaseReturning {
			t.Errorf("%s: %+v", name, d)
		}
		w.Hold = hold // it is still being deleted
		if d := w.decide(t); d.Status.EndTime != nil || d.Finalized {
			t.Errorf("%s: ended before the hold is gone", name)
		}
		if d := w.decide(t); d.Status.Phase != test.phase || d.Finalized != (name == "deleted") {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestMayDelete(t *testing.T) {
	tests := map[string]struct {
		change  func(w *world)
		blocked string
		may     bool
	}{
		"all is well":     {func(*world) {}, "", true},
		"another event's": {func(w *world) { w.Hold.OwnerReferences[0].UID = "other" }, ReasonHoldNarrowed, false},
		"selected pods":   {func(w *world) { w.Hold.Spec.Drain.PodSelector = &metav1.LabelSelector{} }, ReasonHoldNarrowed, false},
		"skipped pods":    {func(w *world) { w.Hold.Spec.Drain.Rules = []v1beta1.DrainRule{{Action: v1beta1.ActionSkip}} }, ReasonHoldNarrowed, false},
		"only cordoned":   {func(w *world) { w.Hold.Spec.Stage = v1beta1.StageCordon }, "", false},
		"older spec":      {func(w *world) { w.Hold.Generation++ }, "", false},
		"another node":    {func(w *world) { w.Hold.Status.NodeUID = "other" }, "", false},
		"pods stay": {func(w *world) {
			w.drainer(v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonSelectedPodsGone)
		}, ReasonPodsStay, false},
		"not empty":   {func(w *world) { w.cordon() }, "", false},
		"no machines": {func(w *world) { w.MachineAPI = false }, ReasonReplacementFailed, false},
		"node gone":   {func(w *world) { w.gone() }, ReasonNodeGone, false},
		"being taken": {func(w *world) { w.gone(); w.step(v1beta1.StepDelete, v1beta1.DeleteFirst) }, "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(v1beta1.CodeInstanceStop)
			w.decide(t)
			w.cordon()
			w.decide(t)
			w.empty()
			w.step(v1beta1.StepAwaitDrain, v1beta1.DeleteFirst)
			test.change(w)
			d := w.decide(t)
			if d.MayDelete != test.may {
				t.Errorf("may delete: %t", d.MayDelete)
			}
			w.expect(t, d.Status.Phase, test.blocked)
		})
	}
}

func TestControlPlaneTurns(t *testing.T) {
	other := func(change func(o *Other)) Other {
		o := Other{Name: "e-0", Node: "cp-0", ControlPlane: true, Created: began, Start: began, LatestStart: latest.Add(time.Hour), Waiting: true}
		change(&o)
		return o
	}
	tests := map[string]struct {
		other Other
		now   time.Time
		mine  bool
		goes  bool
	}{
		"too early":              {other: other(func(o *Other) { o.Waiting = false }), now: began},
		"alone":                  {other: other(func(o *Other) { o.Waiting = false }), goes: true},
		"another one has begun":  {other: other(func(o *Other) { o.Active, o.Waiting = true, false })},
		"it is first":            {other: other(func(*Other) {}), goes: true},
		"it is second":           {other: other(func(o *Other) { o.LatestStart = began })},
		"the first is not due":   {other: other(func(o *Other) { o.LatestStart, o.Start = began, due.Add(time.Hour) }), goes: true},
		"another one has a hold": {other: other(func(o *Other) { o.Active = true })},
		"both have one":          {other: other(func(o *Other) { o.Active = true }), mine: true, goes: true},
		"both, and it is second": {other: other(func(o *Other) { o.Active, o.LatestStart = true, began }), mine: true},
		"a worker is due":        {other: other(func(o *Other) { o.ControlPlane = false })},
		"a worker is not due":    {other: other(func(o *Other) { o.ControlPlane, o.Start = false, due }), goes: true},
		"a worker, no time left": {other: other(func(o *Other) { o.ControlPlane = false }), now: latest, goes: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(v1beta1.CodeSystemReboot)
			w.node.Labels = map[string]string{"node-role.kubernetes.io/master": ""}
			w.at(latest.Add(-time.Minute))
			if test.mine {
				w.decide(t)
			}
			if !test.now.IsZero() {
				w.at(test.now)
			}
			w.Others = []Other{test.other}
			if d := w.decide(t); (d.Hold != nil) != test.goes || d.Status.WaitingFor == "" {
				t.Errorf("hold %+v, waits for %q", d.Hold, d.Status.WaitingFor)
			}
		})
	}
}

func TestTwins(t *testing.T) {
	w := newWorld(v1beta1.CodeInstanceStop)
	first := Other{Name: "e-0", Created: began, NodeUID: w.node.UID, Node: "w-1", Action: v1beta1.EventActionReplace}
	w.Others = []Other{first}
	if d := w.decide(t); d.Hold == nil || !d.Hold.NotBefore.Equal(latest.Add(-time.Hour)) {
		t.Errorf("it only drains in time: %+v", d.Hold)
	}
	w.at(latest).cordon()
	w.decide(t)
	w.empty()
	if d := w.decide(t); d.MayReplace || d.Status.Phase != v1beta1.EventPhaseDrained {
		t.Errorf("the other one replaces: %+v", d)
	}
	w.Others[0].Replaced, w.Others[0].Ended = true, true
	w.gone()
	w.decide(t)
	if d := w.decide(t); d.Status.Phase != v1beta1.EventPhaseCompleted || d.Status.Outcome != replacedByOther("w-1", "e-0") {
		t.Errorf("it ends with the other one: %+v", d)
	}
	w = newWorld(v1beta1.CodeInstanceStop)
	first.Created, first.Replacing = began.Add(time.Hour), true
	w.Others = []Other{first}
	w.decide(t)
	w.cordon()
	w.decide(t)
	if d := w.decide(t); d.MayReplace {
		t.Error("another one has begun already")
	}
}

// An event that has given the replacement up leaves it to another one of the node, and tries no more.
func TestTwinOfOneThatGaveUp(t *testing.T) {
	first, second := newWorld(v1beta1.CodeInstanceStop), newWorld(v1beta1.CodeInstanceStop)
	second.Event.Name, second.Event.CreationTimestamp = "e-2", metav1.NewTime(began.Add(time.Hour))
	for _, step := range []v1beta1.ReplacementStep{v1beta1.StepUndo, v1beta1.StepGivenUp} {
		goes := step == v1beta1.StepGivenUp
		for _, w := range []*world{first, second} {
			w.Event.Status, w.Hold, w.Others = v1beta1.ScheduledEventStatus{}, nil, nil
			w.decide(t)
			w.cordon()
			w.decide(t)
		}
		first.step(step, v1beta1.SurgeFirst)
		second.Others, first.Others = []Other{OtherOf(first.Event, first.node)}, []Other{OtherOf(second.Event, second.node)}
		if d := second.decide(t); d.MayReplace != goes {
			t.Errorf("%s: the second one may replace: %t; waits for %q", step, d.MayReplace, d.Status.WaitingFor)
		}
		if d := first.decide(t); goes && (d.MayReplace || d.Undo) {
			t.Errorf("%s: the first one replaces, too: %+v", step, d)
		}
	}
	first.Others[0].Replaced, first.Others[0].Ended = true, true
	first.gone()
	first.decide(t)
	if d := first.decide(t); d.Status.Outcome != replacedByOther("w-1", "e-2") {
		t.Errorf("the first one ends with the second one: %+v", d.Status)
	}
}

func TestNodeWithoutBootID(t *testing.T) {
	w := newWorld(v1beta1.CodeSystemReboot)
	w.node.Status.NodeInfo.BootID = ""
	w.decide(t)
	w.at(latest).cordon()
	w.decide(t)
	w.empty()
	w.decide(t)
	w.expect(t, v1beta1.EventPhaseDrained, "")
	setReady(w.node, corev1.ConditionTrue, latest.Add(time.Minute))
	w.decide(t)
	w.expect(t, v1beta1.EventPhaseReturning, "")
}

// A machine that AWS is still to reboot may start anew before, by a crash. That is not what was announced. Others do not say
// when it has happened, so any start counts for them.
func TestRestartBeforeTheEvent(t *testing.T) {
	tests := map[string]struct {
		source   string
		noBootID bool
		noTimes  bool
		phases   [2]v1beta1.ScheduledEventPhase
	}{
		"of AWS":                    {source: v1beta1.AWSSource, phases: [2]v1beta1.ScheduledEventPhase{v1beta1.EventPhaseDrained, v1beta1.EventPhaseDrained}},
		"of AWS, without a boot ID": {source: v1beta1.AWSSource, noBootID: true, phases: [2]v1beta1.ScheduledEventPhase{v1beta1.EventPhaseDrained, v1beta1.EventPhaseDrained}},
		"of AWS, without times":     {source: v1beta1.AWSSource, noTimes: true, phases: [2]v1beta1.ScheduledEventPhase{v1beta1.EventPhaseReturning, v1beta1.EventPhaseCompleted}},
		"of a person":               {source: v1beta1.ManualSource, phases: [2]v1beta1.ScheduledEventPhase{v1beta1.EventPhaseReturning, v1beta1.EventPhaseCompleted}},
		"of a person, no boot ID":   {source: v1beta1.ManualSource, noBootID: true, phases: [2]v1beta1.ScheduledEventPhase{v1beta1.EventPhaseReturning, v1beta1.EventPhaseCompleted}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(v1beta1.CodeSystemReboot)
			w.Event.Spec.Source = test.source
			if test.noTimes {
				w.Event.Spec.NotBefore = nil
			}
			boot := func(id string, at time.Time) {
				w.node.Status.NodeInfo.BootID = id
				if test.noBootID {
					w.node.Status.NodeInfo.BootID = ""
				}
				setReady(w.node, corev1.ConditionTrue, at)
				w.at(at)
			}
			boot("boot-1", began.Add(-time.Hour))
			w.at(began).decide(t)
			w.at(latest).cordon()
			w.decide(t)
			w.empty()
			w.decide(t)
			w.expect(t, v1beta1.EventPhaseDrained, "")
			boot("boot-2", latest.Add(time.Minute))
			w.decide(t)
			w.expect(t, test.phases[0], "")
			w.at(due).decide(t)
			w.expect(t, test.phases[1], "")
			if test.phases[1] == v1beta1.EventPhaseCompleted {
				return
			}
			boot("boot-3", due.Add(time.Minute))
			w.decide(t)
			w.expect(t, v1beta1.EventPhaseReturning, "")
		})
	}
}

// The node goes before its drain starts: what was announced for it does not happen to another one of its name.
func TestNodeGoesBefore(t *testing.T) {
	for _, code := range []string{v1beta1.CodeSystemReboot, v1beta1.CodeInstanceStop, "volume-magic"} {
		w := newWorld(code)
		w.decide(t)
		held := w.Hold != nil
		w.gone()
		if w.decide(t); held {
			w.expect(t, v1beta1.EventPhaseReturning, "")
			w.decide(t)
		}
		w.expect(t, v1beta1.EventPhaseCompleted, "")
		if got := w.Event.Status.Outcome; got != "node w-1 is gone" {
			t.Errorf("%s: outcome %q", code, got)
		}
	}
}
