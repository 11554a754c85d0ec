// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// timelineStep is how long decisions share one timeline.
const timelineStep = time.Hour

// Timeline knows when a calendar lets maintenance start in the time ahead. It works out each opening once, however many
// questions are asked, and no more than a limited number of them. It may be used by several goroutines.
type Timeline struct {
	calendar *Calendar
	begin    time.Time

	mu       sync.Mutex
	question *question
	// openings are those until reached, and over says that no more are looked for.
	openings []span
	reached  int64
	over     bool
}

// span is a time; until is no part of it.
type span struct{ from, until int64 }

// Timeline returns the timeline for questions about a moment and the time after it: the one that is given, if it is for
// them. It begins with the hour, so that the answers follow from the moment alone.
func (c *Calendar) Timeline(t time.Time, known *Timeline) *Timeline {
	begin := t.Truncate(timelineStep)
	if known != nil && known.calendar == c && known.begin.Equal(begin) {
		return known
	}
	return &Timeline{calendar: c, begin: begin, reached: begin.Unix()}
}

// NextStart returns the first moment from t on at which maintenance may start: t itself, if it may. Zero if it may not in
// the time that the timeline knows.
func (l *Timeline) NextStart(t time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := t.Unix()
	l.lookUntil(at)
	i, _ := slices.BinarySearchFunc(l.openings, at, func(s span, at int64) int {
		if s.until <= at {
			return -1
		}
		return 1
	})
	switch {
	case i == len(l.openings):
		return time.Time{}
	case l.openings[i].from <= at:
		return t
	default:
		return time.Unix(l.openings[i].from, 0).In(l.calendar.zone)
	}
}

// lookUntil looks for openings until one ends after that moment.
func (l *Timeline) lookUntil(at int64) {
	if l.question == nil {
		l.question = l.calendar.ask(l.begin, workAhead)
	}
	for q := l.question; !l.over && l.reached <= at; {
		from, found := q.nextStart(l.reached)
		l.reached = from
		if found {
			l.reached = q.closing(from)
			l.openings = append(l.openings, span{from: from, until: l.reached})
		}
		l.over = !found || q.tired() || l.reached >= q.limit
	}
}

// Opens says when maintenance may start again, for the end of a message: opens Sat 22:00 CET. Empty if it may start now.
func (l *Timeline) Opens(now time.Time) string {
	switch next := l.NextStart(now); {
	case next.Equal(now):
		return ""
	case next.IsZero():
		return "does not open within " + l.ahead(now)
	default:
		return "opens " + l.calendar.Text(next, now)
	}
}

// ahead says how much of the time after a moment the timeline knows, once it is over.
func (l *Timeline) ahead(now time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	const day = secondsPerDay
	switch days := (min(l.reached, l.question.limit) - now.Unix()) / day; {
	case days >= 365:
		return "a year"
	case days == 1:
		return "a day"
	default:
		return fmt.Sprintf("%d days", days)
	}
}
