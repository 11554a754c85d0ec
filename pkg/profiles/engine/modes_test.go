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
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// A profile that does not act says so, and what it would do.
func TestModes(t *testing.T) {
	for name, test := range map[string]struct {
		mode       v1beta1.ProfileMode
		other      string
		wantReason string
		wantSays   string
	}{
		"dry run":          {v1beta1.ProfileDryRun, "", v1beta1.ReasonDryRun, "nothing is done (DryRun): the transition need to MaintenanceRequired would be taken"},
		"paused":           {v1beta1.ProfilePaused, "", v1beta1.ReasonPaused, "nothing is done (Paused)"},
		"other controller": {v1beta1.ProfileActive, "maintenance-controller", v1beta1.ReasonOtherController, "nothing is done (OtherController): the transition need to MaintenanceRequired would be taken"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.node("w-1", "go")
				w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) { s.Mode = test.mode })
				w.start(func(c *Config) {
					c.Other = func(node string) string {
						if node != "w-1" {
							return ""
						}
						return test.other
					}
				})
				w.wait(time.Minute)
				w.wantState("flatcar", v1beta1.ProfileOperational, "w-1")
				got := w.get("w-1", "flatcar").Status
				for _, condition := range got.Conditions {
					if condition.Type == v1beta1.ConditionActing && (condition.Status != metav1.ConditionFalse || condition.Reason != test.wantReason) {
						t.Errorf("got %+v, want %s", condition, test.wantReason)
					}
				}
				if got.WaitingFor != test.wantSays {
					t.Errorf("it says %q, want %q", got.WaitingFor, test.wantSays)
				}
			})
		})
	}
}

// A profile that may not do what it says decides nothing, as if it were paused, and nothing starts before that is known.
func TestVouch(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1", "go")
		w.node("w-2")
		w.profile("flatcar")
		var lost, unknown atomic.Bool
		unknown.Store(true)
		w.start(func(c *Config) {
			c.Vouch = func(context.Context, *v1beta1.MaintenanceProfile) (reason, lacks string, err error) {
				switch {
				case unknown.Load():
					return "", "", errors.New("nobody can tell")
				case lost.Load():
					return v1beta1.ReasonAuthorLost, "alice has left", nil
				}
				return "", "", nil
			}
		})
		w.wait(time.Minute)
		w.wantState("flatcar", v1beta1.ProfileOperational, "w-1")
		unknown.Store(false)
		w.wait(vouchAgain + time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		lost.Store(true)
		w.wait(vouchInterval)
		w.label("w-2", "go")
		w.unlabel("w-1", "go")
		w.label("w-1", "done")
		w.wait(time.Minute)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		w.wantState("flatcar", v1beta1.ProfileOperational, "w-2")
		acting := apimeta.FindStatusCondition(w.get("w-2", "flatcar").Status.Conditions, v1beta1.ConditionActing)
		if acting == nil || acting.Reason != v1beta1.ReasonAuthorLost || acting.Message != "alice has left" {
			t.Errorf("got %+v, want that alice has left", acting)
		}
		unknown.Store(true)
		w.wait(2 * vouchInterval)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		unknown.Store(false)
		lost.Store(false)
		w.changeProfile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) { s.Priority = 1 }) // a new generation is asked about at once
		w.wait(time.Minute)
		w.wantState("flatcar", v1beta1.ProfileOperational, "w-1")
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-2")
	})
}

// Once everything is as it should be, nothing is written or evaluated any more, however much time passes.
func TestTimeAloneWritesNothing(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		for _, node := range []string{"w-1", "w-2", "w-3"} {
			w.node(node, "go")
		}
		w.profile("flatcar")
		r := w.start()
		w.wait(5 * time.Minute)
		before := r.made.Load()
		w.wait(24 * time.Hour)
		if more := r.made.Load() - before; more > 0 {
			t.Errorf("%d writes, want none", more)
		}
	})
}

// Without profiles, nothing is asked for or written but the idle watch.
func TestNothingForThoseWithoutProfiles(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.node("w-1")
		r := w.start()
		w.wait(time.Minute)
		if r.made.Load() > 0 || r.leading.Load() != nil {
			t.Errorf("%d writes, leading %v, want none", r.made.Load(), r.leading.Load())
		}
		w.profile("flatcar")
		w.wait(time.Minute)
		w.wantState("flatcar", v1beta1.ProfileOperational, "w-1")
		w.Delete(drainertest.Get[*v1beta1.MaintenanceProfile](w.Server, "", "flatcar"))
		w.wait(time.Minute)
		if drainertest.Get[*v1beta1.MaintenanceProfile](w.Server, "", "flatcar") != nil || r.leading.Load() != nil {
			t.Error("the profile is there still, or something runs for it")
		}
	})
}

// A profile that makes the engine panic holds up no other, of the same node neither.
func TestPanicHoldsUpNoOther(t *testing.T) {
	inWorld(t, 0, func(w *world) {
		w.node("w-1", "go")
		w.profile("broken")
		w.profile("esx")
		w.start(func(c *Config) {
			c.Evaluate = func(f evaluation.Facts) evaluation.Outcome {
				if f.Profile.Name == "broken" {
					panic("boom")
				}
				return evaluation.Evaluate(f)
			}
		})
		w.wait(time.Minute)
		w.wantState("broken", v1beta1.ProfileOperational, "w-1")
		w.wantState("esx", v1beta1.ProfileInMaintenance, "w-1")
	})
}

// What happens with a node in maintenance that the profile is on no more, or that is gone.
func TestLeaving(t *testing.T) {
	unselect := func(w *world) {
		drainertest.Change(w.Server, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "w-1"}}, func(n *corev1.Node) { n.Labels["pool"] = "db" })
	}
	for name, test := range map[string]struct {
		onDetach  v1beta1.DetachAction
		leave     func(w *world)
		wantState v1beta1.ProfileState // empty: the NodeProfile is gone
	}{
		"finished later":      {v1beta1.DetachFinish, unselect, v1beta1.ProfileInMaintenance},
		"released":            {v1beta1.DetachRelease, unselect, ""},
		"deleted, released":   {v1beta1.DetachRelease, deleteProfile, ""},
		"deleted, to finish":  {v1beta1.DetachFinish, deleteProfile, v1beta1.ProfileInMaintenance},
		"the node is gone":    {v1beta1.DetachFinish, func(w *world) { w.Remove(newNode("w-1", "w-1-uid")) }, v1beta1.ProfileInMaintenance},
		"another of its name": {v1beta1.DetachFinish, func(w *world) { w.Replace(newNode("w-1", "other")) }, v1beta1.ProfileOperational},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.node("w-1", "go")
				w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) { s.OnDetach = test.onDetach })
				w.start()
				w.wait(20 * time.Second)
				w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
				test.leave(w)
				w.wait(20 * time.Second)
				if test.wantState == "" {
					if got := w.get("w-1", "flatcar"); got != nil || len(w.ledger().InMaintenance) > 0 || w.holds() > 0 {
						t.Errorf("got %+v, ledger %+v, %d holds, want nothing left", got, w.ledger(), w.holds())
					}
					return
				}
				w.wantState("flatcar", test.wantState, "w-1")
				if test.wantState == v1beta1.ProfileOperational && (w.holds() > 0 || len(w.ledger().InMaintenance) > 0) {
					t.Errorf("%d holds, ledger %+v, want nothing left", w.holds(), w.ledger())
				}
			})
		})
	}
}

func deleteProfile(w *world) {
	w.Delete(drainertest.Get[*v1beta1.MaintenanceProfile](w.Server, "", "flatcar"))
}

// A trigger that has failed for good has the transition given up, or waits for a person: a Job is not run again.
func TestFailedTrigger(t *testing.T) {
	for name, onFailure := range map[string]v1beta1.FailureAction{"abort": v1beta1.FailureAbort, "retry": v1beta1.FailureRetry} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.outside.answer = func(step action.Step, _ int) (action.Progress, error) {
					if step.Recorded.Trigger.Job != nil {
						failed := action.Failed("exit code 1")
						failed.Object = "job-1"
						return failed, nil
					}
					return action.Done(), nil
				}
				w.node("w-1", "go")
				w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) { s.Triggers[1].OnFailure = onFailure })
				w.start()
				w.wait(30 * time.Second)
				w.wantState("flatcar", v1beta1.ProfileMaintenanceRequired, "w-1")
				got := w.get("w-1", "flatcar").Status
				if onFailure == v1beta1.FailureAbort {
					if got.Transition != nil || got.History[1].Message != "job: exit code 1" || len(w.ledger().InMaintenance) > 0 {
						t.Errorf("got %+v, want it given up", got)
					}
					return
				}
				if got.Transition == nil || got.Transition.Steps[1].State != v1beta1.StepFailed || got.Transition.Steps[1].Message != "exit code 1" {
					t.Errorf("got %+v, want it to wait for a person", got.Transition)
				}
				if want := "job: exit code 1"; got.WaitingFor != want {
					t.Errorf("it waits for %q, want %q", got.WaitingFor, want)
				}
			})
		})
	}
}
