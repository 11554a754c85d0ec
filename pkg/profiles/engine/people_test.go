// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// What people decide takes effect, once, and it is told who has decided it, and why.
func TestPeople(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.outside.answer = func(action.Step, int) (action.Progress, error) {
			return action.Waiting("for the firmware", time.Time{}), nil
		}
		w.node("w-1")
		w.profile("flatcar")
		w.start()
		w.wait(5 * time.Second)
		w.decide("w-1", "flatcar", v1beta1.ProfileVeto, "need")
		w.label("w-1", "go")
		w.wait(5 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileOperational, "w-1")
		w.unlabel("w-1", "go")
		w.changeDecisions("w-1", "flatcar", nil)
		w.decide("w-1", "flatcar", v1beta1.ProfilePush, "need")
		w.wait(5 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-1")
		got := w.get("w-1", "flatcar").Status
		if last := got.History[0]; last.By != "alice" || last.Reason != "disk" || got.Decisions[0].UsedBy != last.ID {
			t.Errorf("got %+v, decided by %+v, want alice, because of the disk", last, got.Decisions)
		}
		w.label("w-1", "go")
		w.wait(5 * time.Second)
		if got := w.get("w-1", "flatcar").Status.Transition; got == nil || got.Steps[0].Message != "for the firmware" {
			t.Fatalf("got %+v, want a step that waits for the firmware", got)
		}
		w.decide("w-1", "flatcar", v1beta1.ProfileAbort, "")
		w.wait(5 * time.Second)
		got = w.get("w-1", "flatcar").Status
		if last := got.History[1]; got.Transition != nil || last.Result != v1beta1.TransitionAborted || last.By != "alice" || len(w.ledger().InMaintenance) > 0 {
			t.Errorf("got %+v, ledger %+v, want it given up by alice", got, w.ledger())
		}
		w.wait(2 * time.Minute)
		if got := w.get("w-1", "flatcar").Status.Transition; got == nil {
			t.Error("it was not decided again")
		}
	})
}

// An approval or a push of an earlier state never counts for a later one.
func TestOldDecisionsDoNotCount(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1", "go")
		w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
			s.States.MaintenanceRequired.Transitions[0].Check = "done && go"
		})
		w.start()
		w.wait(5 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-1")
		w.changeDecisions("w-1", "flatcar", []v1beta1.RecordedDecision{
			{Decision: v1beta1.ProfilePush, Transition: "start", Sequence: 1, By: "alice"},
			{Decision: v1beta1.ProfileAbort, Sequence: 1, By: "alice"},
		})
		w.wait(5 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-1")
	})
}
