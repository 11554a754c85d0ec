// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// fakeStopper is a trigger that never ends by itself.
type fakeStopper struct {
	fakeTrigger
	// stopped is how often the step was stopped, which fails the first time.
	stopped *int
}

func (f fakeStopper) Do(context.Context, action.Step) (action.Progress, error) {
	return action.Waiting("it runs", time.Now().Add(time.Second)), nil
}

func (f fakeStopper) Stop(_ context.Context, step action.Step) error {
	if step.Recorded.Trigger.Job == nil || step.NodeProfile.Status.Transition == nil {
		f.w.t.Errorf("step %+v is stopped, want the Job of a transition that is stored", step)
	}
	if *f.stopped++; *f.stopped == 1 {
		return errors.New("no route to host")
	}
	return nil
}

// What goes on by itself is stopped before its transition is given up, for whatever reason.
func TestStop(t *testing.T) {
	for name, giveUp := range map[string]func(w *world){
		"a person aborts":          func(w *world) { w.decide("w-1", "flatcar", v1beta1.ProfileAbort, "start") },
		"it takes too long":        func(w *world) { w.wait(2 * time.Minute) },
		"the node is a new one":    func(w *world) { w.Replace(newNode("w-1", "other", "go")) },
		"its record is deleted":    func(w *world) { w.Delete(w.get("w-1", "flatcar")) },
		"the profile is taken off": func(w *world) { w.unlabel("w-1", "pool") },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				stopped := 0
				w.node("w-1", "go")
				seconds := int64(60)
				w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
					s.OnDetach = v1beta1.DetachRelease
					s.Triggers[1].TimeoutSeconds, s.Triggers[1].OnFailure = &seconds, v1beta1.FailureAbort
				})
				w.start(func(c *Config) { c.Kinds[action.KindJob] = fakeStopper{fakeTrigger{w: w}, &stopped} })
				w.wait(20 * time.Second)
				if stopped > 0 || w.get("w-1", "flatcar").Status.Transition == nil {
					t.Fatalf("stopped %d times, want a Job that runs", stopped)
				}
				giveUp(w)
				w.wait(20 * time.Second)
				if stopped < 2 {
					t.Errorf("stopped %d times, want it to be tried again until it has worked", stopped)
				}
			})
		})
	}
}
