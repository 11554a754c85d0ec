// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import "time"

// weekly is a time of some days of each week.
type weekly struct {
	// days are those on which it begins.
	days [7]bool
	// start and end are times of day.
	start, end TimeOfDay
	// nights is 1 if the end is on the day after the start, and otherwise 0.
	nights Day
	// excluded are days on which it does not begin.
	excluded excluded
}

// newWeekly returns the rule for the days, or for all days if there are none. An end that is not after the start is on
// the next day.
func newWeekly(days []time.Weekday, start, end TimeOfDay) weekly {
	w := weekly{start: start, end: end}
	for _, d := range days {
		w.days[d] = true
	}
	if len(days) == 0 {
		w.days = [7]bool{true, true, true, true, true, true, true}
	}
	if end <= start {
		w.nights = 1
	}
	return w
}

// on returns the interval that begins on a day.
func (w weekly) on(clock wallClock, d Day) once {
	if !w.days[d.weekday()] || w.excluded.has(d) {
		return once{}
	}
	return once{from: clock.moment(d, w.start), until: clock.moment(d+w.nights, w.end)}
}

func (w weekly) endAfter(clock wallClock, at int64) int64 {
	end, today := at, clock.day(at)
	for d := today - 2; d <= today+1; d++ {
		end = max(end, w.on(clock, d).endAfter(clock, at))
	}
	return end
}

func (w weekly) beginAfter(clock wallClock, at, limit int64) int64 {
	for d := clock.day(at) - 1; clock.moment(d, w.start) <= limit; d++ {
		if begin := w.on(clock, d).beginAfter(clock, at, limit); begin != never {
			return begin
		}
	}
	return never
}
