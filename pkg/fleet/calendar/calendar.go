// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// MinDurationSeconds is the shortest time that a window with a cron expression may be open.
	MinDurationSeconds = 300
	// MaxDurationSeconds is the longest time that a window with a cron expression may be open: 7 days.
	MaxDurationSeconds = 7 * secondsPerDay
	// horizon is how many days ahead a calendar looks: about 13 months, so that it sees each time of the year.
	horizon = 400
	// Horizon is how far ahead a calendar looks.
	Horizon = horizon * 24 * time.Hour
	// margin is how many days before and after the times that are asked for can matter: a window of
	// MaxDurationSeconds, and the distance of all zones.
	margin = 16
)

// State is what a calendar says of a moment.
type State struct {
	// MayStart says that maintenance may start.
	MayStart bool
	// Reason is the reason why it may not: AdmissionFrozen or AdmissionWindowClosed. Empty if it may.
	Reason v1beta1.AdmissionReason
	// Name is that of the freeze, or else of the window, that contains the moment. Of several, it is the one that ends
	// last. Empty if none does.
	Name string
	// Until is the time when MayStart or Reason changes. Zero if that is more than a year away, or takes too much work to find.
	Until time.Time
	// Holds is until when MayStart and Reason are sure to stay as they are: Until, or as far as was looked ahead if that
	// takes too much work to find.
	Holds time.Time
}

// At says whether maintenance may start at a moment. It takes microseconds, and at most a few milliseconds.
func (c *Calendar) At(t time.Time) State {
	q, at := c.ask(t, workOfNow), t.Unix()
	if frozen := q.frozenUntil(at); frozen > at {
		return q.state(State{Reason: v1beta1.AdmissionFrozen, Name: c.freezes.name(q.clock, at)}, frozen)
	}
	name := c.windows.name(q.clock, at)
	if q.inWindow(at) {
		return q.state(State{MayStart: true, Name: name}, q.closing(at))
	}
	return q.state(State{Reason: v1beta1.AdmissionWindowClosed, Name: name}, min(q.nextWindow(at), q.freezes.begin(at)))
}

// NextStart returns the first moment from t on at which maintenance may start: t itself, if it may. Zero if it may not
// within a year, or if that takes too much work to find: schedules with dozens of times that come every few minutes.
func (c *Calendar) NextStart(t time.Time) time.Time {
	q := c.ask(t, workAhead)
	switch at, found := q.nextStart(t.Unix()); {
	case !found:
		return time.Time{}
	case at == t.Unix():
		return t
	default:
		return q.time(at)
	}
}

// NextClose returns when maintenance may start no more, if it may start at t. Zero if it may not, if it may for more
// than a year, or if that takes too much work to find.
func (c *Calendar) NextClose(t time.Time) time.Time {
	if state := c.At(t); state.MayStart {
		return state.Until
	}
	return time.Time{}
}

// Openings returns the next n times in which maintenance may start, within a year, as far as work allows. If it may
// start at t, the first one is from t on.
func (c *Calendar) Openings(t time.Time, n int) []v1beta1.PolicyOpening {
	q := c.ask(t, workAhead)
	var openings []v1beta1.PolicyOpening
	for at, found := q.nextStart(t.Unix()); found && len(openings) < n; {
		opening := v1beta1.PolicyOpening{From: metav1.NewTime(q.time(at))}
		until := q.closing(at)
		if until < q.limit && !q.cut() {
			opening.Until = &metav1.Time{Time: q.time(until)}
		}
		openings = append(openings, opening)
		at, found = q.nextStart(until)
	}
	return openings
}
