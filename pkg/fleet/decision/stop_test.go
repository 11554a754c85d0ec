// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestFailures(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(f *fleet, h *v1beta1.NodeMaintenance)
		want []string
	}{
		"nothing": {func(*fleet, *v1beta1.NodeMaintenance) {}, nil},
		"drain not overdue": {func(f *fleet, h *v1beta1.NodeMaintenance) {
			h.Status.StartTime = ptr.To(metav1.NewTime(f.Now.Add(time.Second)))
			f.pass(7200 * time.Second)
		}, nil},
		"drain overdue": {func(f *fleet, h *v1beta1.NodeMaintenance) {
			h.Status.StartTime = ptr.To(metav1.NewTime(f.Now))
			f.pass(7200 * time.Second)
		}, []string{"w-1 DrainOverdue"}},
		"drain never begun": {func(f *fleet, h *v1beta1.NodeMaintenance) {
			h.Status.NodeBefore = nil
			f.pass(7200 * time.Second)
		}, []string{"w-1 DrainOverdue"}},
		"drained": {func(f *fleet, h *v1beta1.NodeMaintenance) {
			h.Status.StartTime, h.Status.DrainedTime = ptr.To(metav1.NewTime(f.Now)), ptr.To(metav1.NewTime(f.Now))
			f.pass(7200 * time.Second)
		}, nil},
		"held too long": {func(f *fleet, h *v1beta1.NodeMaintenance) { f.pass(28800 * time.Second) }, []string{"w-1 HeldTooLong"}},
		"drain failed": {func(f *fleet, h *v1beta1.NodeMaintenance) {
			f.pass(time.Minute)
			h.Status.Phase, h.Status.Deadline = v1beta1.PhaseFailed, ptr.To(metav1.NewTime(f.Now))
		}, []string{"w-1 DrainFailed"}},
		"lease lost": {func(f *fleet, h *v1beta1.NodeMaintenance) { h.Status.Phase = v1beta1.PhaseFailed }, nil},
		"failed before it was admitted": {func(f *fleet, h *v1beta1.NodeMaintenance) {
			h.Status.Phase, h.Status.Deadline = v1beta1.PhaseFailed, ptr.To(metav1.NewTime(f.Now.Add(-time.Hour)))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet("a")
			f.policy("all").AutoStop = &v1beta1.PolicyAutoStop{Failures: 5, DrainSeconds: ptr.To[int64](7200), HeldSeconds: ptr.To[int64](28800)}
			h := f.hold("h", "w-1")
			f.decide()
			f.take(h)
			test.do(f, h)
			wantEqual(t, "failures", failuresOf(f.decide()), test.want)
			f.pass(30 * 24 * time.Hour)
			f.Policies[0].Spec.AutoStop.DrainSeconds, f.Policies[0].Spec.AutoStop.HeldSeconds = nil, nil
			wantEqual(t, "failures, which are recorded once", failuresOf(f.decide()), test.want)
			f.end("w-1")
			wantEqual(t, "failures, after the window", failuresOf(f.decide()), nil)
		})
	}
}

// Failures of two nodes stop the policy, and it stays stopped when they are old, until a person says otherwise.
func TestStop(t *testing.T) {
	f := newFleet("aaaa")
	spec := f.policy("all")
	spec.AutoStop = &v1beta1.PolicyAutoStop{Failures: 2, HeldSeconds: ptr.To[int64](3600), DrainSeconds: ptr.To[int64](3600)}
	f.holds("w-1")
	f.decide()
	f.pass(time.Hour)
	o := f.decide()
	wantEqual(t, "failures of one node", failuresOf(o), []string{"w-1 HeldTooLong", "w-1 DrainOverdue"})
	if o.Policies["all"].Status.StoppedTime != nil {
		t.Error("two failures of one node have stopped the policy")
	}
	f.holds("w-2")
	f.decide()
	f.pass(time.Hour)
	f.holds("w-3")
	o = f.decide()
	if got, want := waitsOf(o, "h-w-3"), `policy "all": stopped by failures of 2 nodes (w-1, w-2), until somebody sets spec.autoStop.ignoreBefore`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if status := o.Policies["all"].Status; status.StoppedTime == nil || status.Conditions[1].Status != metav1.ConditionTrue || len(status.Failures) != 4 {
		t.Errorf("the status does not show the stop: %+v", status)
	}
	f.end("w-1")
	f.end("w-2")
	stopped := f.Now
	f.pass(48 * time.Hour)
	f.holds("w-3")
	wantEqual(t, "reasons after the window", reasonsOf(f.decide(), "h-w-3"), []v1beta1.AdmissionReason{v1beta1.AdmissionStopped})
	spec.AutoStop.IgnoreBefore = ptr.To(metav1.NewTime(stopped.Add(-time.Second)))
	wantEqual(t, "reasons with an ignoreBefore of before", reasonsOf(f.decide(), "h-w-3"), []v1beta1.AdmissionReason{v1beta1.AdmissionStopped})
	spec.AutoStop.IgnoreBefore = ptr.To(metav1.NewTime(stopped))
	wantEqual(t, "reasons afterwards", reasonsOf(f.decide(), "h-w-3"), nil)
}
