// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// slowWebhook takes as long as the timeout of its endpoint may be.
type slowWebhook struct{ calls *atomic.Int32 }

func (s slowWebhook) Do(ctx context.Context, _ action.Step) (action.Progress, error) {
	s.calls.Add(1)
	timer := time.NewTimer(time.Minute)
	defer timer.Stop()
	select {
	case <-timer.C:
		return action.Done(), nil
	case <-ctx.Done():
		return action.Progress{}, ctx.Err()
	}
}

// A webhook has the time that its endpoint gives it, and those of many nodes leave others alone.
func TestSlowWebhooks(t *testing.T) {
	inWorld(t, 20, func(w *world) {
		for i := range 12 {
			w.node(fmt.Sprintf("w-%02d", i), "go")
		}
		w.profile("slow", func(s *v1beta1.MaintenanceProfileSpec) {
			s.States.Operational.Transitions[0].Triggers = []string{"hook"}
			s.States.MaintenanceRequired.Transitions[0].Check = "done"
		})
		calls := &atomic.Int32{}
		w.start(func(c *Config) { c.Kinds[action.KindWebhook] = slowWebhook{calls} })
		w.wait(5 * time.Second)
		if got := calls.Load(); got != webhooks {
			t.Errorf("%d webhooks are called at the same time, want %d", got, webhooks)
		}
		w.profile("quick", func(s *v1beta1.MaintenanceProfileSpec) {
			s.States.MaintenanceRequired.Transitions[0].Check = "done"
		})
		w.wait(5 * time.Second)
		w.wantState("quick", v1beta1.ProfileMaintenanceRequired, "w-00", "w-11")
		w.wantState("slow", v1beta1.ProfileOperational, "w-00", "w-11")
		w.wait(4 * time.Minute)
		for i := range 12 {
			if got := w.get(fmt.Sprintf("w-%02d", i), "slow").Status; got.Sequence < 2 {
				t.Errorf("w-%02d is %s with %+v, want that its webhook was called", i, got.State, got.Transition)
			}
		}
	})
}

// A trigger that comes upon somebody else's write has not failed: it is called again soon, and nobody is told.
func TestConflictsAreNoFailures(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.outside.answer = func(_ action.Step, calls int) (action.Progress, error) {
			if calls <= 3 {
				return action.Progress{}, fmt.Errorf("could not patch it: %w", apierrors.NewConflict(schema.GroupResource{Resource: "nodes"}, "w-1", nil))
			}
			return action.Done(), nil
		}
		w.node("w-1", "go")
		w.profile("flatcar")
		r := w.start()
		w.wait(10 * time.Second)
		w.wantState("flatcar", v1beta1.ProfileInMaintenance, "w-1")
		for len(r.recorder.Events) > 0 {
			if event := <-r.recorder.Events; strings.Contains(event, eventStepFailed) {
				t.Errorf("told: %s", event)
			}
		}
	})
}
