// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"errors"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/calendar"
)

// timeWindow asks what time it is.
type timeWindow struct{ window *calendar.Calendar }

func newTimeWindow(c *v1beta1.TimeWindowCheck) (asker, error) {
	window, err := calendar.CompileWindow(c)
	if err != nil {
		return nil, err
	}
	return timeWindow{window}, nil
}

func (c timeWindow) ask(q question) CheckResult {
	open, until := c.at(q.Now)
	var answer CheckResult
	switch {
	case until.IsZero() && open:
		answer = is(true, "the window is always open")
	case until.IsZero():
		answer = is(false, "the window does not open within two years")
	case open:
		answer = is(true, "the window is open until %s", until.Format(weekdayMoment))
	default:
		answer = is(false, "the window opens %s", until.Format(weekdayMoment))
	}
	answer.Again = until
	return answer
}

// weekdayMoment is a time in the zone of a window.
const weekdayMoment = "Mon 2006-01-02 15:04 MST"

// at says whether the window is open, and until when that is so. A calendar looks a year ahead. A window that begins on
// Mondays, many of which are excluded, may need another look.
func (c timeWindow) at(now time.Time) (open bool, until time.Time) {
	state := c.window.At(now)
	if !state.Until.IsZero() {
		return state.MayStart, state.Until
	}
	later := c.window.At(now.Add(calendar.Horizon))
	if later.MayStart != state.MayStart {
		return state.MayStart, now.Add(calendar.Horizon)
	}
	return state.MayStart, later.Until
}

// wait asks for how long the profile has been in its state.
type wait struct {
	time time.Duration
	// excluded are the days whose time does not count.
	excluded map[time.Weekday]bool
	zone     *time.Location
}

func newWait(c *v1beta1.WaitCheck) (asker, error) {
	zone, err := calendar.ZoneOrUTC(c.TimeZone)
	if err != nil {
		return nil, err
	}
	days, err := calendar.Weekdays(c.ExcludeWeekdays)
	if err != nil {
		return nil, err
	}
	w := wait{time: seconds(c.Seconds), zone: zone, excluded: map[time.Weekday]bool{}}
	for _, day := range days {
		w.excluded[day] = true
	}
	if len(w.excluded) > 6 {
		return nil, errors.New("excludeWeekdays has all days, so the time would never be over")
	}
	return w, nil
}

func (c wait) ask(q question) CheckResult {
	since := q.NodeProfile.Status.Since
	if since == nil {
		return unknown("the state was not entered yet")
	}
	over := c.over(since.Time)
	what := count(int(c.time/time.Second), "second") + " as " + string(q.state())
	if !q.Now.Before(over) {
		return is(true, "%s were over at %s", what, moment(over))
	}
	answer := is(false, "%s will be over at %s", what, moment(over))
	answer.Again = over
	return answer
}

// over returns when the time is over that began at a moment. It counts day by day, since days have different lengths.
func (c wait) over(at time.Time) time.Time {
	if len(c.excluded) == 0 {
		return at.Add(c.time)
	}
	for left := c.time; ; {
		next := calendar.NextDay(c.zone, at)
		if !c.excluded[at.In(c.zone).Weekday()] {
			if next.Sub(at) >= left {
				return at.Add(left)
			}
			left -= next.Sub(at)
		}
		at = next
	}
}
