// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/calendar"
)

// scheduled is due from a time of day until midnight, once on each day, if the state was entered before that time.
func (q question) scheduled(s *v1beta1.ScheduledSchedule) (Verdict, error) {
	zone, err := calendar.LoadZone(cmp.Or(s.TimeZone, "UTC"))
	if err != nil {
		return Verdict{}, err
	}
	at, err := calendar.ParseTimeOfDay(s.At)
	if err != nil {
		return Verdict{}, err
	}
	verdict := Verdict{}
	for ahead := range 8 { // the same day of the next week comes last
		day, moment := dayAhead(q.now.In(zone), ahead, int(at))
		switch {
		case len(s.Weekdays) > 0 && !slices.Contains(s.Weekdays, weekday(day)):
		case q.now.Before(moment):
			verdict.Again = moment
			return verdict, nil
		case q.dueOn(day, moment):
			verdict.Occasion = day.Format(time.DateOnly)
		}
	}
	return verdict, nil
}

// dayAhead returns a day some days ahead, and when its clock shows that many minutes since midnight.
func dayAhead(today time.Time, ahead, minutes int) (day, moment time.Time) {
	year, month, date := today.Date()
	const noon = 12 // it is on the same day, whatever the clock was set by
	return time.Date(year, month, date+ahead, noon, 0, 0, 0, today.Location()),
		time.Date(year, month, date+ahead, minutes/60, minutes%60, 0, 0, today.Location())
}

func weekday(day time.Time) v1beta1.Weekday {
	return v1beta1.Weekday(day.Weekday().String()[:len(v1beta1.Monday)])
}

// dueOn says whether something is due for a day whose moment has come.
func (q question) dueOn(day, moment time.Time) bool {
	return !q.status.Since.After(moment) && !q.madeFor(day.Format(time.DateOnly), moment)
}
