// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// setBroken says whether new machines never become nodes.
func (c *cloud) setBroken(is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = is
}

// deleteFirst has machines be replaced without others that come before.
func (w *world) deleteFirst() {
	w.Add(&v1beta1.MaintenancePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "workers", Generation: 1},
		Spec: v1beta1.MaintenancePolicySpec{Events: &v1beta1.PolicyEvents{
			Replacement: &v1beta1.PolicyReplacement{Strategy: v1beta1.DeleteFirst},
		}},
	})
}

// newMachineOf is the new machine that an event has recorded.
func (w *world) newMachineOf(name string) string {
	w.t.Helper()
	r := w.get(name).Status.Replacement
	if r == nil || r.NewMachine == "" {
		w.t.Fatalf("event %s has no new machine: %s", name, w.cloud.story())
	}
	return r.NewMachine
}

// The new machine of an event that has ended does not replace the machine of another one, whose own new machine fails.
func TestNewMachineOfEndedEvent(t *testing.T) {
	inWorld(t, func(w *world) {
		w.deleteFirst()
		first, second := w.cloud.worker(), w.cloud.worker()
		w.cloud.worker()
		w.cloud.setBroken(true)
		w.start()
		w.event("first", v1beta1.CodeInstanceStop, first, notBefore(24*time.Hour))
		w.event("second", v1beta1.CodeInstanceStop, second, notBefore(24*time.Hour))
		w.wait(3 * time.Minute)
		came, failed := w.newMachineOf("first"), w.newMachineOf("second")
		if came == failed {
			t.Fatalf("both events have the new machine %s", came)
		}
		w.cloud.join(object("Machine", came))
		w.wait(time.Minute)
		w.wantPhase("first", v1beta1.EventPhaseCompleted)
		w.cloud.vanish(object("Machine", failed))
		w.wait(time.Minute)
		w.wantPhase("second", v1beta1.EventPhaseReplacing)
		again := w.newMachineOf("second")
		if again == came || again == failed {
			t.Errorf("event second has the new machine %s, want another one than %s and %s", again, came, failed)
		}
		w.cloud.setBroken(false)
		w.wait(3 * time.Minute)
		w.wantPhase("second", v1beta1.EventPhaseCompleted)
		if got := w.newMachineOf("second"); got != again {
			t.Errorf("event second has the new machine %s, want %s", got, again)
		}
	})
}

// A canceled event takes a machine back, also if each has an event: the new one of another event goes then.
func TestTakesBackNewMachineOfOtherEvent(t *testing.T) {
	inWorld(t, func(w *world) {
		w.slow = 3 * time.Hour
		old := w.cloud.worker()
		w.start()
		w.event("first", v1beta1.CodeInstanceStop, old, notBefore(24*time.Hour))
		w.wait(2 * time.Minute)
		w.event("second", v1beta1.CodeInstanceStop, "n-"+w.newMachineOf("first"), notBefore(24*time.Hour))
		w.wait(2 * time.Minute)
		w.newMachineOf("second")
		w.setState("first", v1beta1.EventCanceled)
		w.wait(5 * time.Minute)
		w.wantPhase("first", v1beta1.EventPhaseCanceled)
		w.wantPhase("second", v1beta1.EventPhaseDraining)
		if hold := w.holdOf("first", old); hold != nil {
			t.Errorf("hold %s is still there: %+v", hold.Name, hold.Status)
		}
		w.wait(6 * time.Hour)
		w.wantPhase("second", v1beta1.EventPhaseCompleted)
		w.wantRest("first", old)
		if got := len(w.cloud.server.All("Machine")); got != 1 {
			t.Errorf("%d machines are left, want 1: %s", got, w.cloud.story())
		}
	})
}
