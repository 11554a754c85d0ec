// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"errors"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/calendar"
)

// wait asks for how long the profile has been in its state.
type wait struct {
	time time.Duration
	// excluded are the days whose time does not count.
	excluded map[time.Weekday]bool
	zone     *time.Location
}

func newWait(c *v1beta1.WaitCheck) (check, error) {
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
