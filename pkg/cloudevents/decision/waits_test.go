// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// A hold that was made keeps its place while the machine cannot be asked for, and nothing is drained early.
func TestMachineCannotBeAskedAnyMore(t *testing.T) {
	w := newWorld(v1beta1.CodeInstanceStop)
	w.Machine.Strategy = v1beta1.SurgeFirst
	before, known := w.decide(t), w.Machine
	w.Machine = Machine{Why: "the API is down"}
	after := w.decide(t)
	if after.Hold == nil || *after.Hold != *before.Hold || !strings.Contains(after.Status.WaitingFor, "the API is down") {
		t.Errorf("hold %+v, want %+v; waits for %q", after.Hold, before.Hold, after.Status.WaitingFor)
	}
	w.cordon()
	for range 2 {
		d := w.decide(t)
		if d.Status.DrainStartTime == nil || d.Hold == nil || d.Hold.Stage != v1beta1.StageCordon || !strings.Contains(d.Status.WaitingFor, "the API is down") {
			t.Errorf("hold %+v, status %+v", d.Hold, d.Status)
		}
	}
	w.Machine = known
	if d := w.decide(t); !d.MayReplace {
		t.Errorf("it does not go on: %+v", d)
	}
	w.Machine = Machine{}
	w.at(due)
	if d := w.decide(t); d.Hold == nil || d.Hold.Stage != v1beta1.StageDrain {
		t.Errorf("it does not drain in time: %+v", d.Hold)
	}
}

// What the server refuses is what is waited for, until it is accepted.
func TestRefusals(t *testing.T) {
	w := newWorld(v1beta1.CodeSystemReboot)
	w.decide(t)
	w.Refusal = "not you"
	w.decide(t)
	w.expect(t, v1beta1.EventPhasePending, ReasonHoldRefused)
	if got := w.Event.Status.WaitingFor; !strings.Contains(got, "not you") {
		t.Errorf("waits for %q", got)
	}
	w.Refusal = ""
	w.decide(t)
	w.expect(t, v1beta1.EventPhasePending, "")
	w.Event.Spec.State, w.Kept = v1beta1.EventCanceled, "not you"
	w.decide(t)
	w.expect(t, v1beta1.EventPhaseReturning, ReasonHoldRefused)
	w.Kept = ""
	w.decide(t)
	w.expect(t, v1beta1.EventPhaseCanceled, "")
}

// Where a policy lets drains wait, nobody is told that they start at the latest start.
func TestWaitPromisesNothing(t *testing.T) {
	for _, wait := range []bool{false, true} {
		w := newWorld(v1beta1.CodeSystemReboot)
		if wait {
			w.Policies = []*v1beta1.MaintenancePolicy{policyOf("web", &v1beta1.PolicyEvents{AtLatestStart: v1beta1.LatestStartWait})}
		}
		d := w.decide(t)
		for _, sentence := range []string{d.Status.WaitingFor, d.Notes[0].Message} {
			if strings.Contains(sentence, "at the latest") == wait {
				t.Errorf("with wait %t: %q", wait, sentence)
			}
		}
	}
}

// Where no policy opens in time, that is said from the beginning, and not when it is too late.
func TestNotInTime(t *testing.T) {
	frozen := func(name string, wait bool) *v1beta1.MaintenancePolicy {
		p := policyOf(name, &v1beta1.PolicyEvents{})
		if wait {
			p.Spec.Events.AtLatestStart = v1beta1.LatestStartWait
		}
		p.Spec.Schedule = &v1beta1.PolicySchedule{Freezes: []v1beta1.PolicyFreeze{{Dates: &v1beta1.DateRange{From: "2026-11-01", Until: "2099-12-31"}}}}
		return p
	}
	nights := func(name, start, end string) *v1beta1.MaintenancePolicy {
		p := policyOf(name, nil)
		p.Spec.Schedule = &v1beta1.PolicySchedule{Windows: []v1beta1.PolicyWindow{{Name: "w", Weekly: &v1beta1.WeeklyTime{Start: start, End: end}}}}
		return p
	}
	const before = " before the latest start 2026-11-24T11:30:00Z: "
	for name, test := range map[string]struct {
		policies []*v1beta1.MaintenancePolicy
		want     string
	}{
		"it starts": {
			[]*v1beta1.MaintenancePolicy{frozen("closing", false)},
			"policy closing, which does not open" + before + "the drain of node w-1 starts then, in spite of policy closing",
		},
		"it waits": {
			[]*v1beta1.MaintenancePolicy{frozen("closing", true)},
			"policy closing, which does not open" + before + "it lets the drain wait, so the event may hit a node that is not empty",
		},
		"another one lets it wait": {
			[]*v1beta1.MaintenancePolicy{frozen("closing", false), policyOf("web", &v1beta1.PolicyEvents{AtLatestStart: v1beta1.LatestStartWait})},
			"policy closing, which does not open" + before + "policy web lets the drain wait, so the event may hit a node that is not empty",
		},
		"not together": {
			[]*v1beta1.MaintenancePolicy{nights("a", "22:00", "02:00"), nights("b", "03:00", "05:00")},
			"policies a, b, which are not open together" + before + "the drain of node w-1 starts then, in spite of policies a, b",
		},
	} {
		w := newWorld(v1beta1.CodeSystemReboot)
		w.Policies = test.policies
		d := w.decide(t)
		if got := d.Status.WaitingFor; got != test.want {
			t.Errorf("%s: waits for %q", name, got)
		}
		if got := d.Notes[0].Message; got != "the drain waits for "+test.want {
			t.Errorf("%s: said %q", name, got)
		}
		w.queue()
		if got := w.decide(t).Status.WaitingFor; got != test.want {
			t.Errorf("%s: queued, waits for %q", name, got)
		}
	}
}

// A time that has passed is said as it is.
func TestSaysWhatHasPassed(t *testing.T) {
	w := newWorld(v1beta1.CodeSystemReboot)
	by := began.Add(-time.Hour)
	w.Event.Spec.NotBefore = ptr.To(metav1.NewTime(by))
	d := w.decide(t)
	if got, want := d.Status.LatestStartTime.Time, by.Add(-30*time.Minute); !got.Equal(want) || !d.Status.StartTime.Time.Equal(began) {
		t.Errorf("latest start %s, want %s; start %s", got, want, d.Status.StartTime)
	}
	for i, want := range []string{
		"the drain of node w-1 had to start at 2026-11-21T10:30:00Z, so it starts now",
		"node w-1 may be hit before it is empty: the event was due at 2026-11-21T11:00:00Z, and the drain takes about 20m0s",
	} {
		if got := d.Notes[i].Message; got != want {
			t.Errorf("said %q", got)
		}
	}
}

// As long as the drain has not started, nobody is told that it has.
func TestNoOwnerSays(t *testing.T) {
	w := newWorld(v1beta1.CodeInstanceStop)
	w.MachineAPI = false
	for _, want := range []string{"will be drained", "is drained"} {
		w.decide(t)
		if got := apimeta.FindStatusCondition(w.Event.Status.Conditions, v1beta1.ConditionBlocked).Message; !strings.Contains(got, "the node "+want) || !strings.Contains(got, "cloudEvents.machineAPI") {
			t.Errorf("blocked by %q", got)
		}
		w.cordon()
	}
}
