// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"slices"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-base/metrics/testutil"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// events are the reasons of the events since the last call, sorted.
func (r *replica) events() (reasons []string) {
	for {
		select {
		case event := <-r.recorder.Events:
			reasons = append(reasons, strings.Fields(event)[1])
		default:
			slices.Sort(reasons)
			return reasons
		}
	}
}

func (r *replica) wantEvents(when string, want ...string) {
	r.t.Helper()
	if got := r.events(); !slices.Equal(got, want) {
		r.t.Errorf("%s: the events are %v, want %v", when, got, want)
	}
}

// tellAll stores what the drainer would store of the answers.
func (r *replica) tellAll() {
	holds, _ := r.drainer.Holds()
	for _, hold := range holds {
		answer := r.admitter.Admitted(hold)
		drainertest.Change(r.Server, hold, func(h *v1beta1.NodeMaintenance) {
			h.Status.Admission = answer.Status
			apimeta.SetStatusCondition(&h.Status.Conditions, metav1.Condition{
				Type: v1beta1.ConditionAdmitted, Status: metav1.ConditionTrue, Reason: string(answer.Reason), Message: answer.Message,
			})
		})
	}
}

// Each change is told of once, and not again by the next leader.
func TestEventsAreToldOnce(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(4)
		w.policy("workers", maxConcurrent(1))
		r := w.start()
		w.hold("w-1")
		w.settle()
		r.wantEvents("one starts")
		w.hold("w-2", func(h *v1beta1.NodeMaintenance) {
			h.Spec.StartDeadline = ptr.To(metav1.NewTime(time.Now().Add(time.Minute)))
		})
		w.hold("w-3", func(h *v1beta1.NodeMaintenance) { h.Spec.BypassPolicies = true })
		w.settle()
		r.wantEvents("one waits, one does not", eventQueued, eventBypassed, eventBypassed)
		w.wait(2 * time.Minute)
		r.wantEvents("the deadline passes", eventDeadlineMissed)
		r.tellAll()
		w.wait(5 * time.Minute)
		r.stop()
		next := w.start()
		w.wait(5 * time.Minute)
		next.wantEvents("a restart")
		w.end("w-3")
		w.end("w-1")
		w.settle()
		next.wantEvents("there is room", eventAdmitted)
	})
}

// The status of a hold says anyway that its node does not exist. A policy changes nothing of that until the node is there.
func TestNothingIsToldWhileTheNodeIsMissing(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		r := w.start()
		w.hold("w-1")
		w.settle()
		before := drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1").ResourceVersion
		w.policy("workers", maxConcurrent(0))
		w.settle()
		r.wantEvents("the node is missing")
		if now := drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1"); now.ResourceVersion != before {
			t.Errorf("the hold was written: %+v", now.Status)
		}
		w.nodes(1)
		w.settle()
		r.wantEvents("the node appears", eventQueued)
		w.wantCordoned()
	})
}

// The events and the condition name the policy, and how long it had the hold wait.
func TestTellingNamesThePolicy(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(2)
		w.policy("workers", maxConcurrent(1))
		r := w.start()
		w.holds(2)
		w.settle()
		const full = `policy "workers": 1 of 1 node in maintenance (w-1)`
		if got, want := <-r.recorder.Events, "Normal MaintenanceQueued "+full; got != want {
			t.Errorf("got event %q, want %q", got, want)
		}
		if got := r.admitter.Admitted(drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-2")).Message; got != full {
			t.Errorf("the condition says %q, want %q", got, full)
		}
		w.wait(5 * time.Minute)
		w.end("w-1")
		w.settle()
		if got, want := <-r.recorder.Events, `Normal MaintenanceAdmitted admitted after waiting 5m2s for policy "workers"`; got != want {
			t.Errorf("got event %q, want %q", got, want)
		}
	})
}

// What a hold waits for is told at most three times, with the number of the others.
func TestMessages(t *testing.T) {
	wait := func(policy, message string) v1beta1.AdmissionWait {
		return v1beta1.AdmissionWait{Policy: policy, Message: message}
	}
	tests := map[string]struct {
		waits        []v1beta1.AdmissionWait
		want, waited string
	}{
		"its own reason": {waits: []v1beta1.AdmissionWait{wait("", "not before noon")}, want: "not before noon"},
		"one policy": {
			waits: []v1beta1.AdmissionWait{wait("a", "paused"), wait("a", "full")}, want: `policy "a": paused; full`, waited: ` for policy "a"`,
		},
		"many": {
			waits: []v1beta1.AdmissionWait{wait("a", "paused"), wait("b", "full"), wait("b", "closed"), wait("c", "full"), wait("d", "full")},
			want:  `policy "a": paused; policy "b": full; closed; 2 more in status.admission.waitingFor`, waited: ` for policies "a", "b", "c", "d"`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := messages(test.waits); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got := waitedFor(test.waits); got != test.waited {
				t.Errorf("it waited%q, want%q", got, test.waited)
			}
		})
	}
}

// A hold that needs an approval says so once.
func TestApprovalNeeded(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(1)
		w.policy("workers", func(s *v1beta1.MaintenancePolicySpec) { s.Approvals = &v1beta1.PolicyApprovals{Count: 1} })
		r := w.start()
		w.holds(1)
		w.wait(5 * time.Minute)
		r.wantEvents("one waits", eventApprovalNeeded, eventQueued)
	})
}

// The status of a policy says what is so, is not written more often than every few seconds, and has the times of its
// conditions.
func TestStatusOfAPolicy(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(20)
		w.policy("workers", maxConcurrent(20))
		w.start()
		before := w.statusWrites
		for range 10 {
			w.hold(w.nextHold())
			w.wait(500 * time.Millisecond)
		}
		w.wait(2 * statusInterval)
		if writes := w.statusWrites - before; writes < 2 || writes > 4 {
			t.Errorf("%d writes in 5 seconds, want 2 to 4", writes)
		}
		status := drainertest.Get[*v1beta1.MaintenancePolicy](w.Server, "", "workers").Status
		open := apimeta.FindStatusCondition(status.Conditions, v1beta1.ConditionOpen)
		if status.InMaintenance != 10 || status.Selected != 20 || status.ObservedGeneration != 1 || open == nil || open.LastTransitionTime.IsZero() {
			t.Errorf("the status is %+v", status)
		}
		idle := w.statusWrites
		w.wait(10 * time.Minute)
		if w.statusWrites > idle {
			t.Errorf("%d writes while nothing changes", w.statusWrites-idle)
		}
	})
}

// The gauges are those of a leader only.
func TestGaugesEndWithTheTerm(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(3)
		w.policy("workers", maxConcurrent(1))
		r := w.start()
		w.holds(3)
		w.settle()
		for state, want := range map[string]float64{"selected": 3, "in_maintenance": 1} {
			if got, err := testutil.GetGaugeMetricValue(policyNodes.WithLabelValues("workers", state)); got != want || err != nil {
				t.Errorf("%s is %v, %v, want %v", state, got, err, want)
			}
		}
		if got, _ := testutil.GetGaugeMetricValue(policyWaiting.WithLabelValues("workers", string(v1beta1.AdmissionQueued))); got != 2 {
			t.Errorf("%v wait, want 2", got)
		}
		r.stop()
		if got, _ := testutil.GetGaugeMetricValue(policyNodes.WithLabelValues("workers", "selected")); got != 0 {
			t.Errorf("after the term %v nodes are selected", got)
		}
		resetGauges()
	})
}

// Failures stop a policy. That is told of once.
func TestPolicyStopped(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(2)
		w.policy("workers", func(s *v1beta1.MaintenancePolicySpec) {
			s.AutoStop = &v1beta1.PolicyAutoStop{Failures: 1, HeldSeconds: ptr.To[int64](60)}
		})
		r := w.start()
		w.hold("w-1")
		w.settle()
		r.wantEvents("one starts")
		w.wait(5 * time.Minute)
		r.wantEvents("it is held too long", eventPolicyStopped)
		r.tellAll()
		r.stop()
		next := w.start()
		w.wait(5 * time.Minute)
		next.wantEvents("a restart")
		w.hold("w-2")
		w.settle()
		w.wantCordoned("w-1")
	})
}

// Nobody but the leader answers, and it only what was decided.
func TestKnownOnlyWhatWasDecided(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(2)
		w.policy("workers", maxConcurrent(1))
		r := w.start()
		w.holds(1)
		w.settle()
		held := drainertest.Get[*v1beta1.NodeMaintenance](w.Server, "", "w-1")
		if answer := r.admitter.Admitted(held); !answer.Known || answer.Stage != v1beta1.StageDrain || answer.Status.AdmittedTime == nil {
			t.Errorf("of an admitted hold it says %+v", answer)
		}
		if answer := r.admitter.Admitted(drainertest.Hold{Name: "new", Node: "w-2"}.Object()); answer.Known {
			t.Errorf("of a hold that it has not seen it says %+v", answer)
		}
		r.stop()
		if answer := r.admitter.Admitted(held); answer.Known {
			t.Errorf("after its term it says %+v", answer)
		}
	})
}

// The ledger says since when release gates keep a node, and no more when they do not.
func TestKeepsBack(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(1)
		w.policy("workers", func(s *v1beta1.MaintenancePolicySpec) {
			s.Gates = &v1beta1.PolicyGates{Release: []v1beta1.PolicyGate{{DaemonSetPodsReady: true}}}
		})
		r := w.start()
		w.holds(1)
		w.settle()
		r.pauseBefore("give back")
		w.end("w-1")
		r.admitter.KeepsBack("w-1", true)
		w.settle()
		if entry, known := r.admitter.Entry("w-1"); !known || entry == nil || entry.ReleaseTime == nil {
			t.Errorf("the entry is %+v, want a releaseTime", entry)
		}
		r.hand.open()
		w.settle()
		if entry, _ := r.admitter.Entry("w-1"); entry != nil {
			t.Errorf("the entry is %+v, want none", entry)
		}
	})
}
