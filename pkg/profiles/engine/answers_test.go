// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// fakeAnswers know which checks are wanted.
type fakeAnswers struct {
	noAnswers
	mu     sync.Mutex
	runs   int
	wanted map[string][]string
	moved  []string
}

func (a *fakeAnswers) Run(ctx context.Context) {
	a.set(func() { a.runs++ })
	<-ctx.Done()
	a.set(func() { a.runs-- })
}

func (a *fakeAnswers) Want(_ *v1beta1.MaintenanceProfile, np *v1beta1.NodeProfile, _ *corev1.Node, checks []string) {
	a.set(func() { a.wanted[np.Name] = checks })
}

func (a *fakeAnswers) Forget(np *v1beta1.NodeProfile) { a.set(func() { delete(a.wanted, np.Name) }) }

func (a *fakeAnswers) Moved(profile string) { a.set(func() { a.moved = append(a.moved, profile) }) }

func (a *fakeAnswers) set(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}

// said is what is wanted, how many run, and whether the profile has moved since the last time.
func (a *fakeAnswers) said() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var wanted []string
	for name, checks := range a.wanted {
		wanted = append(wanted, fmt.Sprint(name, checks))
	}
	slices.Sort(wanted)
	moved := len(a.moved) > 0
	a.moved = nil
	return fmt.Sprintf("%d run, moved %t: %s", a.runs, moved, strings.Join(wanted, " "))
}

// Answers run while there are profiles, and are wanted while checks are evaluated.
func TestAnswersAreWanted(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		answers := &fakeAnswers{wanted: map[string][]string{}}
		w.node("w-1")
		w.start(func(c *Config) {
			c.NewAnswers = func(Cluster) Answers { return answers }
			c.Evaluate = func(f evaluation.Facts) evaluation.Outcome {
				outcome := evaluation.Evaluate(f)
				outcome.Wants = []string{"done"}
				return outcome
			}
		})
		check := func(what, want string) {
			t.Helper()
			w.wait(time.Minute)
			if got := answers.said(); got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		check("no profile", "0 run, moved false: ")
		w.profile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) {
			s.States.Operational.Transitions[0].Triggers = []string{"hook"}
		})
		check("a profile", "1 run, moved true: w-1.flatcar[done]")
		w.outside.mu.Lock()
		w.outside.answer = func(action.Step, int) (action.Progress, error) {
			return action.Waiting("for the firmware", time.Time{}), nil
		}
		w.outside.mu.Unlock()
		w.label("w-1", "go")
		check("a transition is under way", "1 run, moved false: ")
		w.unlabel("w-1", "go")
		w.decide("w-1", "flatcar", v1beta1.ProfileAbort, "")
		check("it was given up", "1 run, moved false: w-1.flatcar[done]")
		w.changeProfile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) { s.Mode = v1beta1.ProfilePaused })
		check("paused", "1 run, moved true: ")
		w.changeProfile("flatcar", func(s *v1beta1.MaintenanceProfileSpec) { s.Mode = v1beta1.ProfileActive })
		w.wait(time.Second)
		deleteProfile(w)
		check("gone", "0 run, moved true: ")
	})
}
