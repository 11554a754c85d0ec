// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// What is given up while a state is entered leaves no hold behind that was not there before.
func TestAbortedEnterGivesTheNodeBack(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.outside.answer = func(step action.Step, _ int) (action.Progress, error) {
			if step.Transition.Phase == v1beta1.PhaseEnter {
				return action.Waiting("for the firmware", time.Time{}), nil
			}
			return action.Done(), nil
		}
		w.node("w-1", "go")
		w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
			s.States.InMaintenance.Hold, s.States.InMaintenance.Enter = nil, []string{"drain", "job"}
		})
		w.start()
		w.wait(20 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		if w.holds() != 1 {
			t.Fatalf("%d holds, want the one of the trigger", w.holds())
		}
		w.decide("w-1", "flatcar", v1beta1.ProfileAbort, "")
		w.wait(20 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-1")
		if got := w.get("w-1", "flatcar").Status; w.holds() > 0 || got.Hold != nil || len(w.ledger().InMaintenance) > 0 {
			t.Errorf("%d holds, hold %+v, ledger %+v, want nothing left", w.holds(), got.Hold, w.ledger())
		}
	})
}

// A node keeps its place until the enter of the state after the maintenance is through, since it may go back.
func TestNodeThatGoesBackHasItsPlace(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.outside.answer = func(step action.Step, _ int) (action.Progress, error) {
			fails := step.Recorded.StartTime.Add(25 * time.Second)
			switch {
			case step.Transition.Phase != v1beta1.PhaseEnter || step.Transition.Next != v1beta1.ProfileOperational:
				return action.Done(), nil
			case time.Now().Before(fails):
				return action.Waiting("it takes its time", fails), nil
			default:
				return action.Failed("not healthy"), nil
			}
		}
		w.node("w-1", "go")
		w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
			s.States.Operational.Enter, s.Triggers[1].OnFailure = []string{"job"}, v1beta1.FailureAbort
		})
		w.start()
		w.wait(20 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		w.node("w-2", "go")
		w.unlabel("w-1", "go")
		w.label("w-1", "done")
		w.wait(15 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileOperational, "w-1")
		w.wait(30 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-2")
	})
}

// A step of a state that was entered is resolved later, if that is not possible at once.
func TestEnterIsResolvedLater(t *testing.T) {
	for name, onFailure := range map[string]v1beta1.FailureAction{"retry": v1beta1.FailureRetry, "abort": v1beta1.FailureAbort} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				tries := &atomic.Int32{}
				w.node("w-1", "go")
				w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
					s.States.MaintenanceRequired.Transitions[0].Triggers = nil
					s.States.InMaintenance.Enter, s.Triggers[1].OnFailure = []string{"hook", "job"}, onFailure
				})
				w.start(func(c *Config) {
					c.Resolve = func(_ context.Context, step *v1beta1.TransitionStep, _ *corev1.Node) error {
						if step.Trigger.Name == "job" && tries.Add(1) < 4 {
							return errors.New("no route to host")
						}
						return nil
					}
				})
				w.wait(20 * time.Second)
				if onFailure == v1beta1.FailureAbort {
					w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-1")
					return
				}
				w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
				if got := w.get("w-1", "flatcar").Status; got.Transition != nil || len(w.outside.jobs) != 1 || tries.Load() != 4 {
					t.Errorf("got %+v, %d Jobs, %d tries, want that it was resolved with the fourth", got.Transition, len(w.outside.jobs), tries.Load())
				}
			})
		})
	}
}

// A profile that is Paused goes on with what was recorded, with the hold that belongs to it.
func TestPausedProfileMakesTheHold(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		var done atomic.Bool
		w.outside.answer = func(action.Step, int) (action.Progress, error) {
			if done.Load() {
				return action.Done(), nil
			}
			return action.Waiting("for the firmware", time.Now().Add(5*time.Second)), nil
		}
		w.node("w-1", "go")
		w.profile("flatcar")
		w.start()
		w.wait(20 * time.Second)
		w.changeProfile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) { s.Mode = v1beta1.ProfilePaused })
		done.Store(true)
		w.wait(20 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		if w.holds() != 1 {
			t.Fatalf("%d holds, want that of the state", w.holds())
		}
		w.Locked(func() {
			for _, held := range allHolds(w) {
				w.Store.Remove(held)
			}
		})
		w.wait(20 * time.Second)
		if w.holds() > 0 {
			t.Error("it was made again, want that a person can delete it while the profile is Paused")
		}
	})
}

// A hold that the state Operational asks for ends when the profile is on the node no more.
func TestHoldOfOperationalEnds(t *testing.T) {
	for _, onDetach := range []v1beta1.DetachAction{v1beta1.DetachFinish, v1beta1.DetachRelease} {
		t.Run(string(onDetach), func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.node("w-1")
				w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
					s.OnDetach, s.States.Operational.Hold = onDetach, &v1beta1.ProfileHold{Stage: v1beta1.StageCordon}
				})
				r := w.start()
				w.wait(20 * time.Second)
				if w.holds() != 1 {
					t.Fatalf("%d holds, want that of the state", w.holds())
				}
				deleteProfile(w)
				before := r.made.Load()
				w.wait(time.Minute)
				if got := w.get("w-1", "flatcar"); got != nil || w.holds() > 0 {
					t.Errorf("got %+v, %d holds, want nothing left", got, w.holds())
				}
				if writes := r.made.Load() - before; writes > 20 {
					t.Errorf("%d writes for that", writes)
				}
			})
		})
	}
}

// A window that closes while no server runs is kept: what was recorded, and has not begun, is decided anew.
func TestWindowClosesWhileNoServerRuns(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1", "go")
		w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
			s.Checks = append(s.Checks, v1beta1.ProfileCheck{
				Name: "night", TimeWindow: &v1beta1.TimeWindowCheck{Start: "00:00", End: "00:10", TimeZone: "UTC"},
			})
			s.States.MaintenanceRequired.Transitions[0].Check = "max && night && go"
		})
		w.failRunning("w-1.flatcar")
		r := w.start()
		w.wait(20 * time.Second)
		if got := w.get("w-1", "flatcar").Status.Transition; got == nil || got.Steps[0].State != v1beta1.StepPending {
			t.Fatalf("got %+v, want a transition that has not begun", got)
		}
		r.stop()
		w.Heal()
		w.wait(30 * time.Minute)
		w.start()
		w.wait(time.Minute)
		w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-1")
		if got := w.get("w-1", "flatcar").Status; got.Transition != nil || len(w.outside.calls) > 0 || len(w.ledger().InMaintenance) > 0 {
			t.Errorf("got %+v, calls %v, ledger %+v, want that nothing is done", got, w.outside.calls, w.ledger())
		}
	})
}
