// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package collect

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/source"
)

// now is the time of the tests. The event of the tests happens an hour later.
var now = time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)

const name = "aws.event-1"

func hours(h int) *metav1.Time { return &metav1.Time{Time: now.Add(time.Duration(h) * time.Hour)} }

// told is the event as the source tells it, with a change.
func told(changes ...func(*source.Event)) source.Event {
	event := source.Event{
		ID: "event-1", Code: "instance-stop", InstanceID: "i-1", Description: "bad disk", State: v1beta1.EventScheduled, NotBefore: hours(1),
	}
	for _, change := range changes {
		change(&event)
	}
	return event
}

// stored is its object, with a change.
func stored(changes ...func(*v1beta1.ScheduledEvent)) v1beta1.ScheduledEvent {
	object := v1beta1.ScheduledEvent{
		ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "7"},
		Spec: v1beta1.ScheduledEventSpec{
			Source: "aws", EventID: "event-1", Code: "instance-stop", InstanceID: "i-1", Description: "bad disk", State: v1beta1.EventScheduled,
			NotBefore: hours(1),
		},
	}
	for _, change := range changes {
		change(&object)
	}
	return object
}

func in(state v1beta1.ScheduledEventState) func(*v1beta1.ScheduledEvent) {
	return func(e *v1beta1.ScheduledEvent) { e.Spec.State = state }
}

func toldAs(state v1beta1.ScheduledEventState) func(*source.Event) {
	return func(e *source.Event) { e.State = state }
}

// answer is of a source that was asked for i-1, and has answered, with the events.
func answer(events ...source.Event) source.Answer {
	a := source.Answer{
		Events: map[string]source.Event{}, Asked: sets.New("i-1"), Answered: sets.New("i-1"), Regions: map[string]error{"eu-central-1": nil},
	}
	for _, event := range events {
		a.Events[event.ID] = event
	}
	return a
}

func TestKeep(t *testing.T) {
	deleting := func(e *v1beta1.ScheduledEvent) { e.DeletionTimestamp = hours(0) }
	later := func(e *source.Event) {
		e.NotBefore, e.NotAfter, e.Deadline, e.Description = hours(5), hours(6), hours(7), "worse disk"
	}
	tests := map[string]struct {
		stored []v1beta1.ScheduledEvent
		told   source.Event
		// want is the object that is written; nil: none is.
		want        *v1beta1.ScheduledEvent
		wantRefused string
	}{
		"new": {told: told(later), want: &v1beta1.ScheduledEvent{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1beta1.ScheduledEventSpec{
			Source: "aws", EventID: "event-1", Code: "instance-stop", InstanceID: "i-1", Description: "worse disk", State: v1beta1.EventScheduled,
			NotBefore: hours(5), NotAfter: hours(6), Deadline: hours(7),
		}}},
		"over before it was known":     {told: told(toldAs(v1beta1.EventCompleted))},
		"canceled before it was known": {told: told(toldAs(v1beta1.EventCanceled))},
		"as it was":                    {stored: []v1beta1.ScheduledEvent{stored()}, told: told()},
		"in another time zone": {
			stored: []v1beta1.ScheduledEvent{stored(func(e *v1beta1.ScheduledEvent) {
				e.Spec.NotBefore = &metav1.Time{Time: e.Spec.NotBefore.In(time.FixedZone("", 3600))}
			})}, told: told(),
		},
		"put off": {stored: []v1beta1.ScheduledEvent{stored()}, told: told(later), want: object(func(e *v1beta1.ScheduledEvent) {
			e.Spec.NotBefore, e.Spec.NotAfter, e.Spec.Deadline, e.Spec.Description = hours(5), hours(6), hours(7), "worse disk"
		})},
		"without a time":     {stored: []v1beta1.ScheduledEvent{stored()}, told: told(func(e *source.Event) { e.NotBefore = nil }), want: object(func(e *v1beta1.ScheduledEvent) { e.Spec.NotBefore = nil })},
		"over":               {stored: []v1beta1.ScheduledEvent{stored()}, told: told(toldAs(v1beta1.EventCompleted)), want: object(in(v1beta1.EventCompleted))},
		"canceled":           {stored: []v1beta1.ScheduledEvent{stored()}, told: told(toldAs(v1beta1.EventCanceled)), want: object(in(v1beta1.EventCanceled))},
		"canceled by people": {stored: []v1beta1.ScheduledEvent{stored(in(v1beta1.EventCanceled))}, told: told()},
		"canceled by people, then over": {
			stored: []v1beta1.ScheduledEvent{stored(in(v1beta1.EventCanceled))}, told: told(toldAs(v1beta1.EventCompleted)),
		},
		"canceled by people, then put off": {
			stored: []v1beta1.ScheduledEvent{stored(in(v1beta1.EventCanceled))}, told: told(func(e *source.Event) { e.NotBefore = hours(5) }),
			want: object(in(v1beta1.EventCanceled), func(e *v1beta1.ScheduledEvent) { e.Spec.NotBefore = hours(5) }),
		},
		"ended": {
			stored: []v1beta1.ScheduledEvent{stored(func(e *v1beta1.ScheduledEvent) { e.Status.EndTime = hours(0) })}, told: told(toldAs(v1beta1.EventCompleted)),
		},
		"being deleted": {stored: []v1beta1.ScheduledEvent{stored(deleting)}, told: told(later)},
		"of people": {
			stored: []v1beta1.ScheduledEvent{stored(func(e *v1beta1.ScheduledEvent) { e.Spec.Source = "manual" })}, told: told(later),
			wantRefused: "ScheduledEvent aws.event-1 is not event event-1 of aws on i-1, but of manual on i-1, and has the name that it needs: delete it",
		},
		"of another machine": {
			stored: []v1beta1.ScheduledEvent{stored(func(e *v1beta1.ScheduledEvent) { e.Spec.InstanceID = "i-2" })}, told: told(later),
			wantRefused: "ScheduledEvent aws.event-1 is not event event-1 of aws on i-1, but of aws on i-2, and has the name that it needs: delete it",
		},
		"no name": {
			told: told(func(e *source.Event) { e.ID = "Event/1" }), wantRefused: `event "Event/1" of aws cannot be the name of an object: `,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := decide(facts{source: "aws", stored: test.stored, answer: answer(test.told), now: now})
			written := slices.Concat(got.create, got.update)
			if test.want == nil && len(written) > 0 || test.want != nil && !cmp.Equal(written, []*v1beta1.ScheduledEvent{test.want}) {
				t.Errorf("got %v, want %v", written, test.want)
			}
			if (len(got.create) > 0) && test.stored != nil {
				t.Error("a stored event is created anew")
			}
			var refused string
			if len(got.refused) > 0 {
				refused = got.refused[0].Error()
			}
			if len(refused) < len(test.wantRefused) || refused[:len(test.wantRefused)] != test.wantRefused || (refused == "") != (test.wantRefused == "") {
				t.Errorf("got %q, want %q", refused, test.wantRefused)
			}
		})
	}
}

// object is a stored object as it is to be written.
func object(changes ...func(*v1beta1.ScheduledEvent)) *v1beta1.ScheduledEvent {
	written := stored(changes...)
	return &written
}

// What ends an event that the source does not tell any more.
func TestEnd(t *testing.T) {
	const long = 5 * time.Minute
	begun := func(e *v1beta1.ScheduledEvent) { e.Spec.NotBefore = hours(-1) }
	tests := map[string]struct {
		change func(*v1beta1.ScheduledEvent)
		answer func(*source.Answer)
		// missing is how long the event has been missing; 0: since now.
		missing time.Duration
		// want is the state that is written; empty: none is.
		want        v1beta1.ScheduledEventState
		wantMissing bool
	}{
		"before its time":          {missing: long, want: v1beta1.EventCanceled, wantMissing: true},
		"after its time":           {change: begun, missing: long, want: v1beta1.EventCompleted, wantMissing: true},
		"missing once":             {change: begun, wantMissing: true},
		"missing for a moment":     {change: begun, missing: long - time.Second, wantMissing: true},
		"no time is known":         {change: func(e *v1beta1.ScheduledEvent) { e.Spec.NotBefore = nil }, missing: long, want: v1beta1.EventCompleted, wantMissing: true},
		"only a deadline":          {change: func(e *v1beta1.ScheduledEvent) { e.Spec.NotBefore, e.Spec.Deadline = nil, hours(1) }, missing: long, want: v1beta1.EventCanceled, wantMissing: true},
		"its machine not answered": {change: begun, missing: long, answer: func(a *source.Answer) { a.Answered = nil }},
		"no machine, before its end": {
			change:  func(e *v1beta1.ScheduledEvent) { e.Spec.NotBefore, e.Spec.NotAfter = hours(-1), hours(1) },
			missing: long, answer: func(a *source.Answer) { a.Asked, a.Answered = nil, nil },
		},
		"no machine, after its end": {change: begun, missing: long, answer: func(a *source.Answer) { a.Asked, a.Answered = nil, nil }, want: v1beta1.EventCompleted, wantMissing: true},
		"of another source":         {missing: long, change: func(e *v1beta1.ScheduledEvent) { e.Spec.Source = "manual" }},
		"canceled":                  {missing: long, change: in(v1beta1.EventCanceled)},
		"completed":                 {missing: long, change: in(v1beta1.EventCompleted)},
		"ended":                     {missing: long, change: func(e *v1beta1.ScheduledEvent) { e.Status.EndTime = hours(0) }},
		"being deleted":             {missing: long, change: func(e *v1beta1.ScheduledEvent) { e.DeletionTimestamp = hours(0) }, wantMissing: true},
	}
	for testName, test := range tests {
		t.Run(testName, func(t *testing.T) {
			object, empty := stored(), answer()
			if test.change != nil {
				test.change(&object)
			}
			if test.answer != nil {
				test.answer(&empty)
			}
			f := facts{source: "aws", stored: []v1beta1.ScheduledEvent{object}, answer: empty, now: now}
			if test.missing > 0 {
				f.missing = map[string]time.Time{name: now.Add(-test.missing)}
			}
			got := decide(f)
			var state v1beta1.ScheduledEventState
			if len(got.update) > 0 {
				state = got.update[0].Spec.State
				if since := got.update[0].Annotations[v1beta1.NotToldSinceAnnotation]; since != now.Add(-test.missing).Format(time.RFC3339) {
					t.Errorf("the event says that it was not told since %q", since)
				}
			}
			if since, missing := got.missing[name]; state != test.want || missing != test.wantMissing || missing && !since.Equal(now.Add(-test.missing)) {
				t.Errorf("got state %q, missing %v; want %q, %t", state, got.missing, test.want, test.wantMissing)
			}
			if len(got.create)+len(got.refused) > 0 {
				t.Errorf("created %v, refused %v", got.create, got.refused)
			}
		})
	}
}

// An event that ended because it was not told, and is told again, stays ended, and is reported.
func TestToldAgain(t *testing.T) {
	notTold := func(e *v1beta1.ScheduledEvent) {
		metav1.SetMetaDataAnnotation(&e.ObjectMeta, v1beta1.NotToldSinceAnnotation, now.Format(time.RFC3339))
	}
	tests := map[string]struct {
		stored []func(*v1beta1.ScheduledEvent)
		told   source.Event
		want   bool
	}{
		"canceled, not told":       {stored: []func(*v1beta1.ScheduledEvent){in(v1beta1.EventCanceled), notTold}, told: told(), want: true},
		"completed, not told":      {stored: []func(*v1beta1.ScheduledEvent){in(v1beta1.EventCompleted), notTold}, told: told(), want: true},
		"told as over":             {stored: []func(*v1beta1.ScheduledEvent){in(v1beta1.EventCanceled), notTold}, told: told(toldAs(v1beta1.EventCompleted))},
		"canceled by the source":   {stored: []func(*v1beta1.ScheduledEvent){in(v1beta1.EventCanceled)}, told: told()},
		"completed by the source":  {stored: []func(*v1beta1.ScheduledEvent){in(v1beta1.EventCompleted)}, told: told()},
		"ended without the source": {stored: []func(*v1beta1.ScheduledEvent){func(e *v1beta1.ScheduledEvent) { e.Status.EndTime = hours(0) }}, told: told()},
		"being deleted": {
			stored: []func(*v1beta1.ScheduledEvent){in(v1beta1.EventCanceled), notTold, func(e *v1beta1.ScheduledEvent) { e.DeletionTimestamp = hours(0) }}, told: told(),
		},
	}
	for testName, test := range tests {
		t.Run(testName, func(t *testing.T) {
			got := decide(facts{source: "aws", stored: []v1beta1.ScheduledEvent{stored(test.stored...)}, answer: answer(test.told), now: now})
			if got.toldAgain.Has(name) != test.want || len(got.create)+len(got.update) > 0 {
				t.Errorf("told again: %v, created %v, updated %v; want %t, and no writes", sets.List(got.toldAgain), got.create, got.update, test.want)
			}
		})
	}
}
