// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package collect

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

// againMetric is how many events are told again.
const againMetric = "maintenance_event_told_again"

// teller is a source that tells what the test wants.
type teller struct {
	answer source.Answer
	err    error
	asked  []time.Time
	// then is called when it is asked, if it is set.
	then func()
}

func (s *teller) Events(context.Context) (source.Answer, error) {
	if s.then != nil {
		s.then()
	}
	s.asked = append(s.asked, time.Now())
	return s.answer, s.err
}

func newCollector(source *teller, client *fake.Clientset) *Collector {
	return newCollectorAt(source, client, clocktesting.NewFakeClock(now))
}

func newCollectorAt(source *teller, client *fake.Clientset, clock clock.Clock) *Collector {
	return New(Config{Source: source, Name: "aws", Maintenance: client, Interval: time.Minute, Clock: clock})
}

// writes are the requests that change something.
func writes(client *fake.Clientset) (verbs []string) {
	for _, action := range client.Actions() {
		if verb := action.GetVerb(); verb != "list" {
			verbs = append(verbs, verb)
		}
	}
	return verbs
}

// An event is created, changed and ended, and nothing is written while nothing changes.
func TestPolls(t *testing.T) {
	const failed = "failed"
	client, source, clock := fake.NewSimpleClientset(), &teller{}, clocktesting.NewFakeClock(now)
	collector := newCollectorAt(source, client, clock)
	for _, step := range []struct {
		what   string
		answer func()
		// later is how much later than the step before it is.
		later time.Duration
		want  string
		// wantState is the state of the object; empty: there is none.
		wantState v1beta1.ScheduledEventState
		wantErr   bool
		// wantAgain is how many events are reported as told again.
		wantAgain float64
	}{
		{what: "nothing is announced", answer: func() { source.answer = answer() }},
		{what: "announced", answer: func() { source.answer = answer(told()) }, want: "create", wantState: v1beta1.EventScheduled},
		{what: "as before", answer: func() {}, wantState: v1beta1.EventScheduled},
		{what: "put off", answer: func() { e := told(); e.NotBefore = hours(3); source.answer = answer(e) }, want: "update", wantState: v1beta1.EventScheduled},
		{what: "not asked", answer: func() { source.err = errors.New(failed) }, wantState: v1beta1.EventScheduled, wantErr: true},
		{what: "missing", answer: func() { source.err, source.answer = nil, answer() }, wantState: v1beta1.EventScheduled},
		{what: "the region fails", answer: func() { source.answer.Answered = nil }, wantState: v1beta1.EventScheduled},
		{what: "missing again", answer: func() { source.answer = answer() }, later: missingFor, wantState: v1beta1.EventScheduled},
		{what: "missing twice", answer: func() {}, later: time.Second, wantState: v1beta1.EventScheduled},
		{what: "missing for long", answer: func() {}, later: missingFor - time.Second, want: "update", wantState: v1beta1.EventCanceled},
		{what: "told again", answer: func() { e := told(); e.NotBefore = hours(3); source.answer = answer(e) }, wantState: v1beta1.EventCanceled, wantAgain: 1},
		{what: "told again, as before", answer: func() {}, wantState: v1beta1.EventCanceled, wantAgain: 1},
		{what: "told as over", answer: func() { e := told(toldAs(v1beta1.EventCanceled)); e.NotBefore = hours(3); source.answer = answer(e) }, wantState: v1beta1.EventCanceled},
	} {
		clock.Step(step.later)
		client.ClearActions()
		step.answer()
		if err := collector.poll(t.Context()); (err != nil) != step.wantErr {
			t.Errorf("%s: got %v", step.what, err)
		}
		if got := strings.Join(writes(client), " "); got != step.want {
			t.Errorf("%s: wrote %q, want %q", step.what, got, step.want)
		}
		object, err := client.MaintenanceV1beta1().ScheduledEvents().Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) != (step.wantState == "") || err == nil && object.Spec.State != step.wantState {
			t.Errorf("%s: got %v (%v), want the state %q", step.what, object, err, step.wantState)
		}
		if got := gathered(t, againMetric); got != step.wantAgain {
			t.Errorf("%s: %v events are reported as told again, want %v", step.what, got, step.wantAgain)
		}
	}
}

// A write that fails keeps no other from being made. Somebody who was faster is no error.
func TestFailedWrites(t *testing.T) {
	resource := v1beta1.SchemeGroupVersion.WithResource("scheduledevents").GroupResource()
	tests := map[string]struct {
		err     error
		wantErr bool
	}{
		"refused":  {err: apierrors.NewForbidden(resource, "", nil), wantErr: true},
		"conflict": {err: apierrors.NewConflict(resource, "", nil)},
		"gone":     {err: apierrors.NewNotFound(resource, "")},
	}
	for testName, test := range tests {
		t.Run(testName, func(t *testing.T) {
			first := stored()
			client := fake.NewSimpleClientset(&first)
			client.PrependReactor("update", "scheduledevents", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.err })
			other := told(func(e *source.Event) { e.ID = "event-2" })
			source := &teller{answer: answer(told(toldAs(v1beta1.EventCompleted)), other)}
			if err := newCollector(source, client).poll(t.Context()); (err != nil) != test.wantErr {
				t.Errorf("got %v, want an error: %t", err, test.wantErr)
			}
			if _, err := client.MaintenanceV1beta1().ScheduledEvents().Get(t.Context(), "aws.event-2", metav1.GetOptions{}); err != nil {
				t.Errorf("the other event was not created: %v", err)
			}
		})
	}
}

// Run asks at once, and then once each interval, and ends when it is to.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		source, again := &teller{answer: answer(told())}, stored(in(v1beta1.EventCanceled))
		metav1.SetMetaDataAnnotation(&again.ObjectMeta, v1beta1.NotToldSinceAnnotation, now.Format(time.RFC3339))
		collector := newCollectorAt(source, fake.NewSimpleClientset(&again), clock.RealClock{})
		reported := 0.0
		source.then = func() { reported = max(reported, gathered(t, againMetric)) }
		collector.Run(ctx)
		if n := len(source.asked); n < 5 || n > 6 {
			t.Errorf("asked %d times in 5 minutes, want once each minute, and a little less often", n)
		}
		if got := gathered(t, "maintenance_event_last_poll_timestamp_seconds", "eu-central-1"); got != 0 {
			t.Errorf("the last poll is told to be at %v by a process that does not lead", got)
		}
		if got := gathered(t, againMetric); reported != 1 || got != 0 {
			t.Errorf("%v events were reported as told again, and %v by a process that does not lead; want 1 and 0", reported, got)
		}
	})
}

func TestMetrics(t *testing.T) {
	polls.Reset()
	a := answer()
	a.Regions = map[string]error{"good-east-1": nil, "bad-east-1": errors.New("failed")}
	source := &teller{answer: a}
	collector := newCollector(source, fake.NewSimpleClientset())
	for range 2 {
		if err := collector.poll(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const polls, last = "maintenance_event_polls_total", "maintenance_event_last_poll_timestamp_seconds"
	for _, want := range []struct {
		metric string
		labels []string
		value  float64
	}{
		{polls, []string{"good-east-1", "success"}, 2},
		{polls, []string{"bad-east-1", "failure"}, 2},
		{polls, []string{"bad-east-1", "success"}, 0},
		{last, []string{"good-east-1"}, float64(now.Unix())},
		{last, []string{"bad-east-1"}, 0},
	} {
		if got := gathered(t, want.metric, want.labels...); got != want.value {
			t.Errorf("%s %v is %v, want %v", want.metric, want.labels, got, want.value)
		}
	}
	source.answer = answer()
	if err := collector.poll(t.Context()); err != nil || gathered(t, last, "good-east-1") != 0 {
		t.Errorf("the last poll of a region that is not asked any more is still told (%v)", err)
	}
}

// gathered is the value of a metric with the labels; 0 if there is none.
func gathered(t *testing.T, metric string, labels ...string) float64 {
	t.Helper()
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			var values []string
			for _, label := range m.GetLabel() {
				if label.GetName() != "source" {
					values = append(values, label.GetValue())
				}
			}
			if family.GetName() == metric && strings.Join(values, " ") == strings.Join(labels, " ") {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	return 0
}
