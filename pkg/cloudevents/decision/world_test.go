// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// began is the time when the tests begin: a Saturday, when the event was created.
var began = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// due is the time when the event happens.
var due = began.Add(3 * 24 * time.Hour)

// newNode is a node that is Ready since yesterday.
func newNode(name string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name)}}
	n.Spec.ProviderID = "aws:///eu-central-1a/i-" + name
	n.Status.NodeInfo.BootID = "boot-1"
	n.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(began.Add(-24 * time.Hour)),
	}}
	return n
}

func setReady(n *corev1.Node, ready corev1.ConditionStatus, since time.Time) {
	n.Status.Conditions[0].Status, n.Status.Conditions[0].LastTransitionTime = ready, metav1.NewTime(since)
}

// world is the facts of a test, which change as decisions are carried out.
type world struct {
	Facts
	node *corev1.Node
	// said are the reasons of the Kubernetes events so far.
	said []string
	last Decision
	// keepsHold has the API server not delete the hold, or not yet.
	keepsHold bool
}

// newWorld has an event of a code for node w-1, which happens in three days.
func newWorld(code string) *world {
	e := &v1beta1.ScheduledEvent{ObjectMeta: metav1.ObjectMeta{
		Name: "e-1", UID: "uid-e-1", Generation: 1, CreationTimestamp: metav1.NewTime(began),
	}}
	e.Spec = v1beta1.ScheduledEventSpec{
		Source: "manual", Code: code, NodeName: "w-1", NotBefore: ptr.To(metav1.NewTime(due)), State: v1beta1.EventScheduled,
	}
	w := &world{node: newNode("w-1"), Facts: Facts{
		Now: began, Event: e, MachineAPI: true, Drains: Drains{Plan: 20 * time.Minute},
		Machine: Machine{Known: true, Name: "infra/m-1", Replaceable: true, Strategy: v1beta1.DeleteFirst},
	}}
	w.Found = Found{Node: w.node}
	return w
}

// decide decides, and carries out what was decided, but for the replacement.
func (w *world) decide(t *testing.T) Decision {
	t.Helper()
	w.last = Decide(w.Facts)
	for _, note := range w.last.Notes {
		w.said = append(w.said, note.Reason)
	}
	w.store(w.last)
	return w.last
}

// store makes what is stored what the decision wants.
func (w *world) store(d Decision) {
	w.Event = w.Event.DeepCopy()
	d.Status.DeepCopyInto(&w.Event.Status)
	switch {
	case d.Hold == nil && w.keepsHold:
	case d.Hold == nil:
		w.Hold = nil
	case w.Hold == nil:
		w.Hold = holdOf(w.Event, d.Hold)
	default:
		before := w.Hold.Spec
		w.Hold = w.Hold.DeepCopy()
		w.Hold.Spec = holdOf(w.Event, d.Hold).Spec
		w.Hold.Spec.Drain = before.Drain
		if before.Stage != w.Hold.Spec.Stage || before.BypassPolicies != w.Hold.Spec.BypassPolicies {
			w.Hold.Generation++
		}
	}
}

func holdOf(e *v1beta1.ScheduledEvent, wanted *Hold) *v1beta1.NodeMaintenance {
	h := &v1beta1.NodeMaintenance{ObjectMeta: metav1.ObjectMeta{Name: wanted.Name, Generation: 1, OwnerReferences: []metav1.OwnerReference{
		{Kind: "ScheduledEvent", Name: e.Name, UID: e.UID, Controller: ptr.To(true)},
	}}}
	h.Spec = v1beta1.NodeMaintenanceSpec{
		NodeName: wanted.Node, Requestor: wanted.Requestor, Reason: wanted.Reason, Stage: wanted.Stage,
		NotBefore: inSeconds(wanted.NotBefore), StartDeadline: inSeconds(wanted.StartDeadline), BypassPolicies: wanted.Bypass,
	}
	return h
}

// cordon has the drainer cordon the node for the hold.
func (w *world) cordon() {
	w.drainer(v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDraining)
}

// empty has the drainer drain the node.
func (w *world) empty() {
	w.drainer(v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonNodeEmpty)
}

func (w *world) drainer(kind string, status metav1.ConditionStatus, reason string) {
	w.Hold = w.Hold.DeepCopy()
	s := &w.Hold.Status
	s.ObservedGeneration, s.NodeUID, s.Admission = w.Hold.Generation, w.node.UID, nil
	for _, c := range []metav1.Condition{
		{Type: v1beta1.ConditionCordoned, Status: metav1.ConditionTrue, Reason: v1beta1.ReasonCordoned}, {Type: kind, Status: status, Reason: reason},
	} {
		c.ObservedGeneration = w.Hold.Generation
		apimeta.SetStatusCondition(&s.Conditions, c)
	}
}

// queue has a policy keep the hold.
func (w *world) queue() {
	w.Hold = w.Hold.DeepCopy()
	w.Hold.Status.ObservedGeneration = w.Hold.Generation
	w.Hold.Status.Admission = &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageIdle, WaitingFor: []v1beta1.AdmissionWait{
		{Policy: "web", Reason: v1beta1.AdmissionQueued, Message: "1 of 1 nodes is in maintenance"},
	}}
}

// at moves the time.
func (w *world) at(now time.Time) *world {
	w.Now = now
	return w
}

// step has the replacement take a step.
func (w *world) step(step v1beta1.ReplacementStep, strategy v1beta1.ReplacementStrategy) {
	w.Event = w.Event.DeepCopy()
	w.Event.Status.Replacement = &v1beta1.MachineReplacement{
		Strategy: strategy, Step: step, StepTime: ptr.To(metav1.NewTime(w.Now)), Failure: "no new machine",
		Machine: v1beta1.ReplacedObject{Namespace: "infra", Name: "m-1"},
		Owner:   &v1beta1.ReplacedObject{Kind: "MachineSet", Namespace: "infra", Name: "workers"},
	}
}

func (w *world) gone() { w.Found, w.Policies = Found{Gone: true}, nil }

func (w *world) expect(t *testing.T, phase v1beta1.ScheduledEventPhase, blocked string) {
	t.Helper()
	s := w.Event.Status
	c := apimeta.FindStatusCondition(s.Conditions, v1beta1.ConditionBlocked)
	got := ""
	if c != nil && c.Status == metav1.ConditionTrue {
		got = c.Reason
	}
	if s.Phase != phase || got != blocked {
		t.Errorf("phase %s, blocked %q, waits for %q; want %s, %q", s.Phase, got, s.WaitingFor, phase, blocked)
	}
}

func (w *world) expectSaid(t *testing.T, reasons ...string) {
	t.Helper()
	if !slices.Equal(w.said, reasons) {
		t.Errorf("said %v, want %v", w.said, reasons)
	}
}

// policyOf is a policy that selects all nodes.
func policyOf(name string, events *v1beta1.PolicyEvents) *v1beta1.MaintenancePolicy {
	p := &v1beta1.MaintenancePolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	p.Spec.NodeSelector, p.Spec.Events = &metav1.LabelSelector{}, events
	return p
}
