// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// ready sets whether a node is Ready, after a boot.
func (w *world) ready(node string, is bool, bootID string) {
	drainertest.Change(w.Server, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}, func(n *corev1.Node) {
		n.Status.NodeInfo.BootID = bootID
		n.Status.Conditions[0].Status, n.Status.Conditions[0].LastTransitionTime = corev1.ConditionFalse, metav1.Now().Rfc3339Copy()
		if is {
			n.Status.Conditions[0].Status = corev1.ConditionTrue
		}
	})
}

// A machine that is rebooted is drained before, and given back when it has come back.
func TestReboot(t *testing.T) {
	inWorld(t, func(w *world) {
		node := w.cloud.worker()
		r := w.start()
		w.event("reboot", v1beta1.CodeInstanceReboot, node, notBefore(30*time.Minute))
		w.wait(10 * time.Second)
		w.wantPhase("reboot", v1beta1.EventPhaseDraining)
		w.wait(time.Minute)
		w.wantPhase("reboot", v1beta1.EventPhaseDrained)
		w.ready(node, false, "boot-0")
		w.wait(time.Minute)
		w.ready(node, false, "boot-1")
		w.wait(time.Minute)
		w.wantPhase("reboot", v1beta1.EventPhaseDrained)
		w.ready(node, true, "boot-1")
		w.wait(time.Minute)
		w.wantPhase("reboot", v1beta1.EventPhaseCompleted)
		if hold := w.holdOf("reboot", node); hold != nil {
			t.Errorf("the hold is still there: %+v", hold)
		}
		w.wantNotes(r, "DrainScheduled", "DrainStarted", "Drained", "MachineReturned", "EventCompleted")
		w.wait(8 * 24 * time.Hour)
		if event := w.get("reboot"); event != nil {
			t.Errorf("the event is kept: %+v", event)
		}
	})
}

// wantNotes wants Kubernetes events on the ScheduledEvent, each once.
func (w *world) wantNotes(r *replica, reasons ...string) {
	w.t.Helper()
	var got []string
	for {
		select {
		case note := <-r.recorder.Events:
			got = append(got, note)
			continue
		default:
		}
		break
	}
	for _, reason := range reasons {
		times := 0
		for _, note := range got {
			if strings.Contains(note, " "+reason+" ") {
				times++
			}
		}
		if times == 0 || times > 2 { // it may be on the node, too
			w.t.Errorf("%d events %s, want one: %q", times, reason, got)
		}
	}
}

// A machine that stops is replaced: another one comes, the node is drained, and the machine goes.
func TestReplace(t *testing.T) {
	inWorld(t, func(w *world) {
		node := w.cloud.worker()
		w.cloud.worker()
		w.wait(time.Minute)
		r := w.start()
		w.event("stop", v1beta1.CodeInstanceStop, node, notBefore(24*time.Hour))
		w.wait(15 * time.Second)
		w.wantPhase("stop", v1beta1.EventPhaseReplacing)
		if hold := w.holdOf("stop", node); hold == nil || hold.Spec.Stage != v1beta1.StageCordon {
			t.Errorf("the hold is %+v, want one that cordons", hold)
		}
		w.wait(10 * time.Minute)
		w.wantPhase("stop", v1beta1.EventPhaseCompleted)
		w.wantRest("stop", node)
		w.wantNotes(r, "SurgeAdded", "NewNodeReady", "Drained", "MachineReplaced", "EventCompleted")
	})
}

// wantRest wants as many machines as are wanted, without marks, and nothing left of an event.
func (w *world) wantRest(event, node string) {
	w.t.Helper()
	set := w.cloud.set()
	if got := replicasOf(set); got != w.cloud.wanted || len(surgedFor(set)) > 0 {
		w.t.Errorf("the set is to have %d machines (%v), want %d", got, set.GetAnnotations(), w.cloud.wanted)
	}
	for _, machine := range w.cloud.server.All("Machine") {
		if machine.GetAnnotations()[deleteMark] != "" {
			w.t.Errorf("machine %s is marked still", machine.GetName())
		}
	}
	if hold := w.holdOf(event, node); hold != nil {
		w.t.Errorf("hold %s is still there: %+v", hold.Name, hold.Status)
	}
}

// Whoever cancels or deletes an event, or says that it has happened, gets the node back, and the added machine goes.
func TestWithdrawn(t *testing.T) {
	tests := map[string]func(w *world){
		"canceled":  func(w *world) { w.setState("stop", v1beta1.EventCanceled) },
		"completed": func(w *world) { w.setState("stop", v1beta1.EventCompleted) },
		"deleted":   func(w *world) { w.Delete(w.get("stop")) },
	}
	for name, withdraw := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				node := w.cloud.worker()
				w.start()
				w.event("stop", v1beta1.CodeInstanceStop, node, notBefore(24*time.Hour))
				w.wait(20 * time.Second)
				withdraw(w)
				w.wait(10 * time.Minute)
				switch event := w.get("stop"); {
				case name == "canceled":
					w.wantPhase("stop", v1beta1.EventPhaseCanceled)
				case name == "completed":
					w.wantPhase("stop", v1beta1.EventPhaseCompleted)
				case event != nil:
					t.Errorf("the event is still there: %+v", event.Status)
				}
				w.wantRest("stop", node)
				if drainertest.Get[*corev1.Node](w.Server, "", node) == nil {
					t.Errorf("node %s is gone", node)
				}
			})
		})
	}
}

// Policies that keep the hold are not asked any more at the latest start.
func TestStartsInSpiteOfPolicies(t *testing.T) {
	inWorld(t, func(w *world) {
		node := w.cloud.worker()
		w.closed.Store(true)
		r := w.start()
		w.event("reboot", v1beta1.CodeInstanceReboot, node, notBefore(3*time.Hour))
		w.wait(2 * time.Hour)
		w.wantPhase("reboot", v1beta1.EventPhasePending)
		w.wait(time.Hour)
		w.wantPhase("reboot", v1beta1.EventPhaseDrained)
		w.wantNotes(r, "StartedInSpiteOfPolicies")
	})
}

// What people change of the hold is set right, and one that they delete is made again.
func TestHoldIsKept(t *testing.T) {
	inWorld(t, func(w *world) {
		node := w.cloud.worker()
		w.start()
		w.event("reboot", v1beta1.CodeInstanceReboot, node, notBefore(30*time.Minute))
		w.wait(time.Minute)
		drainertest.Change(w.Server, w.holdOf("reboot", node), func(h *v1beta1.NodeMaintenance) {
			h.Spec.Stage, h.Spec.Drain.PodSelector = v1beta1.StageIdle, &metav1.LabelSelector{}
			h.Spec.Drain.GracePeriodSeconds = new(int64(30))
		})
		w.wait(time.Minute)
		hold := w.holdOf("reboot", node)
		if hold == nil || hold.Spec.Stage != v1beta1.StageDrain || hold.Spec.Drain.PodSelector != nil || hold.Spec.Drain.GracePeriodSeconds == nil {
			t.Errorf("the hold is %+v, want all pods drained, with the grace period that a person set", hold)
		}
		w.deleteHold(hold)
		w.wait(time.Minute)
		if again := w.holdOf("reboot", node); again == nil || again.UID == hold.UID {
			t.Errorf("the hold is %+v, want another one", again)
		}
	})
}

// deleteHold deletes a hold as a person.
func (w *world) deleteHold(hold *v1beta1.NodeMaintenance) {
	w.Locked(func() { w.byPeople = append(w.byPeople, hold.Name) })
	w.Delete(hold)
	w.Locked(func() { w.byPeople = nil })
}

// A hold that this server refuses is told once, and tried again.
func TestHoldIsRefused(t *testing.T) {
	inWorld(t, func(w *world) {
		node := w.cloud.worker()
		w.Inject(drainertest.Failing("create", "nodemaintenances", drainertest.NotYou("nodemaintenances")))
		r := w.start()
		w.event("reboot", v1beta1.CodeInstanceReboot, node, notBefore(30*time.Minute))
		w.wait(10 * time.Minute)
		blocked := apimeta.FindStatusCondition(w.get("reboot").Status.Conditions, v1beta1.ConditionBlocked)
		if blocked == nil || blocked.Status != metav1.ConditionTrue || blocked.Reason != decision.ReasonHoldRefused {
			t.Errorf("the event says %+v, want that its hold is refused", blocked)
		}
		w.wantNotes(r, "HoldRefused")
		w.Heal()
		w.wait(3 * time.Minute)
		w.wantPhase("reboot", v1beta1.EventPhaseDrained)
	})
}

// What a person has to do is told by a Kubernetes event as well, whatever step it comes up in.
func TestReplacementTroublesAreTold(t *testing.T) {
	tests := map[string]struct {
		drain, goes time.Duration
		trouble     func(w *world)
		reason      string
	}{
		"the set is deleted during the drain": {
			drain: 24 * time.Hour, goes: time.Second, reason: decision.ReasonReplacementFailed,
			trouble: func(w *world) {
				set := w.cloud.set()
				set.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
				w.cloud.server.Put(set)
			},
		},
		"the machine goes late, and none comes": {
			drain: time.Minute, goes: 2 * time.Hour, reason: decision.ReasonReplacementMissing,
			trouble: func(w *world) { w.cloud.fail(true, false) },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.slow, w.cloud.goes = test.drain, test.goes
				w.Add(deleteFirst())
				node := w.cloud.worker()
				r := w.start()
				w.event("stop", v1beta1.CodeInstanceStop, node, notBefore(48*time.Hour))
				w.wait(30 * time.Second)
				test.trouble(w)
				w.wait(3 * time.Hour)
				blocked := apimeta.FindStatusCondition(w.get("stop").Status.Conditions, v1beta1.ConditionBlocked)
				if blocked == nil || blocked.Status != metav1.ConditionTrue || blocked.Reason != test.reason {
					t.Errorf("the event says %+v, want %s", blocked, test.reason)
				}
				w.wantNotes(r, test.reason)
			})
		})
	}
}

// The time that policies leave for a new machine counts although the old node is gone, which none of them selects then.
func TestTimeoutWhenTheNodeIsGone(t *testing.T) {
	inWorld(t, func(w *world) {
		policy := deleteFirst()
		policy.Spec.Events.Replacement.TimeoutSeconds = new(int64(7200))
		w.Add(policy)
		node := w.cloud.worker()
		r := w.start()
		w.cloud.fail(true, false)
		w.event("stop", v1beta1.CodeInstanceStop, node, notBefore(48*time.Hour))
		w.wait(110 * time.Minute)
		if event := w.get("stop"); event.Status.Replacement.Step != v1beta1.StepAwaitReplaced || waitsForPeople(event) {
			t.Errorf("the new machine is missed too early: %+v", event.Status)
		}
		w.wait(20 * time.Minute)
		w.wantNotes(r, decision.ReasonReplacementMissing)
	})
}

// deleteFirst is a policy that has old machines go before new ones come.
func deleteFirst() *v1beta1.MaintenancePolicy {
	policy := &v1beta1.MaintenancePolicy{ObjectMeta: metav1.ObjectMeta{Name: "delete-first", UID: "delete-first"}}
	policy.Spec.NodeSelector = &metav1.LabelSelector{}
	policy.Spec.Events = &v1beta1.PolicyEvents{Replacement: &v1beta1.PolicyReplacement{Strategy: v1beta1.DeleteFirst}}
	return policy
}

// Two events of one machine have it replaced once, and end together.
func TestTwins(t *testing.T) {
	inWorld(t, func(w *world) {
		node := w.cloud.worker()
		w.cloud.worker()
		w.wait(time.Minute)
		w.start()
		w.event("first", v1beta1.CodeInstanceStop, node, notBefore(24*time.Hour))
		w.event("second", v1beta1.CodeInstanceRetirement, node, notBefore(48*time.Hour))
		w.wait(20 * time.Minute)
		w.wantPhase("first", v1beta1.EventPhaseCompleted)
		w.wantPhase("second", v1beta1.EventPhaseCompleted)
		w.wantRest("first", node)
		w.wantRest("second", node)
		if got := len(w.cloud.surges); got != 1 {
			t.Errorf("machines were added for %d events, want 1", got)
		}
	})
}

// Without events only the watch of events runs, and time alone writes nothing.
func TestIdle(t *testing.T) {
	inWorld(t, func(w *world) {
		node := w.cloud.worker()
		w.start()
		w.wait(time.Hour)
		w.event("reboot", v1beta1.CodeInstanceReboot, node, notBefore(100*time.Hour))
		w.wait(time.Minute)
		version := w.get("reboot").ResourceVersion
		w.wait(48 * time.Hour)
		if got := w.get("reboot").ResourceVersion; got != version {
			t.Errorf("the event was written while nothing has changed: %s, want %s", got, version)
		}
	})
}
