// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

var start = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// source is a cluster of three nodes, each with a hold, and perhaps a policy that lets one of them start.
type source struct {
	facts decision.Facts
	err   error
	asked int
}

func newSource(limited bool) *source {
	s := &source{facts: decision.Facts{Now: start}}
	for i := range 3 {
		name := fmt.Sprintf("w-%d", i+1)
		s.facts.Nodes = append(s.facts.Nodes, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
			Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
		})
		s.facts.Holds = append(s.facts.Holds, holdOf("h-"+name, name, start.Add(time.Duration(i)*time.Minute-time.Hour)))
	}
	if limited {
		s.facts.Policies = []*v1beta1.MaintenancePolicy{{
			ObjectMeta: metav1.ObjectMeta{Name: "workers", UID: "p", Generation: 1},
			Spec: v1beta1.MaintenancePolicySpec{
				NodeSelector: &metav1.LabelSelector{}, Limits: v1beta1.PolicyLimits{MaxConcurrent: ptr.To(intstr.FromInt32(1))},
			},
		}}
	}
	return s
}

func holdOf(name, node string, created time.Time) *v1beta1.NodeMaintenance {
	return &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Generation: 1, CreationTimestamp: metav1.NewTime(created)},
		Spec:       v1beta1.NodeMaintenanceSpec{NodeName: node, Stage: v1beta1.StageDrain, Requestor: "alice"},
	}
}

func (s *source) Policies() []*v1beta1.MaintenancePolicy { return s.facts.Policies }

func (s *source) Concerned(node string) bool { return len(s.facts.Policies) > 0 && node != "other" }

func (s *source) Facts(context.Context) (decision.Facts, error) {
	s.asked++
	return s.facts, s.err
}

func TestForecast(t *testing.T) {
	hypothetical := &v1beta1.NodeMaintenance{Spec: v1beta1.NodeMaintenanceSpec{NodeName: "w-3", Stage: v1beta1.StageDrain}}
	first := holdOf("h-w-1", "w-1", start.Add(-time.Hour))
	timed := hypothetical.DeepCopy()
	timed.Spec.NotBefore = &metav1.Time{Time: start.Add(time.Hour)}
	tests := map[string]struct {
		limited    bool
		hold       *v1beta1.NodeMaintenance
		err        error
		wantWaits  bool
		wantStarts bool
		wantAsked  int
		wantErr    bool
	}{
		"no policies":             {hold: hypothetical},
		"no policies, and a time": {hold: timed, wantWaits: true, wantAsked: 1},
		"no policy for the node":  {limited: true, hold: holdOf("h-other", "other", start)},
		"first in the queue":      {limited: true, hold: first, wantStarts: true, wantAsked: 1},
		"last in the queue":       {limited: true, hold: hypothetical, wantWaits: true, wantAsked: 1},
		"not known":               {limited: true, hold: hypothetical, err: errors.New("not yet"), wantErr: true, wantAsked: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newSource(test.limited)
			s.err = test.err
			forecast, why, err := New(s).Forecast(t.Context(), test.hold)
			if (err != nil) != test.wantErr || s.asked != test.wantAsked {
				t.Fatalf("got %v after %d questions, want an error: %v, after %d", err, s.asked, test.wantErr, test.wantAsked)
			}
			waits := forecast != nil && !forecast.StartsNow
			if starts := forecast != nil && forecast.StartsNow; waits != test.wantWaits || starts != test.wantStarts {
				t.Errorf("got %+v, want it to wait: %v, to start: %v", forecast, test.wantWaits, test.wantStarts)
			}
			if waits != (why != "") {
				t.Errorf("it waits: %v, because of %q", waits, why)
			}
		})
	}
}

func TestQueueIsTheOneOfTheDecision(t *testing.T) {
	queue, err := New(newSource(true)).Queue(t.Context(), "workers")
	if err != nil {
		t.Fatal(err)
	}
	if len(queue.Items) != 2 || queue.Items[0].Name != "h-w-2" || queue.Items[0].Position != 1 || queue.Items[1].Position != 2 {
		t.Errorf("got %+v, want h-w-2 and h-w-3", queue.Items)
	}
	if _, err := New(&source{err: errors.New("not yet")}).Queue(t.Context(), "workers"); err == nil {
		t.Error("a queue that is not known is empty")
	}
}

func TestWaitingIsDecidedOnceASecond(t *testing.T) {
	s, clock := newSource(true), clocktesting.NewFakePassiveClock(start)
	e := New(s)
	e.clock = clock
	waiting := func() map[string][]v1beta1.AdmissionForecast {
		t.Helper()
		got, err := e.Waiting(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := waiting()
	if len(got) != 2 || len(got["w-1"]) > 0 || got["w-2"][0].Positions[0].Position != 1 || got["w-3"][0].Positions[0].Of != 2 {
		t.Errorf("got %+v, want w-2 before w-3", got)
	}
	waiting()
	if s.asked != 1 {
		t.Errorf("it was decided %d times within a second", s.asked)
	}
	for i, at := range []time.Time{start.Add(time.Second), start.Add(-time.Hour)} { // then the clock is set back
		clock.SetTime(at)
		if waiting(); s.asked != 2+i {
			t.Errorf("at %s the old answer is given again", at)
		}
	}
	clock.SetTime(start.Add(time.Hour))
	s.facts.Policies = nil
	if got := waiting(); got != nil || s.asked != 3 {
		t.Errorf("without policies: got %+v after %d decisions", got, s.asked)
	}
	s.facts.Policies, s.err = newSource(true).facts.Policies, errors.New("not yet")
	if _, err := e.Waiting(t.Context()); err == nil {
		t.Error("it is known what waits although the facts are not")
	}
}
