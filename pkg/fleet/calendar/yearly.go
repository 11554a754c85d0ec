// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

// yearly is a range of days of each year.
type yearly struct {
	// from and until are its first and its last day.
	from, until YearDay
}

// in returns the interval that begins in a year.
func (y yearly) in(clock wallClock, year int) once {
	lastYear := year
	if y.until.Before(y.from) {
		lastYear++
	}
	return once{from: clock.moment(y.from.in(year), 0), until: clock.moment(y.until.in(lastYear)+1, 0)}
}

func (y yearly) endAfter(clock wallClock, at int64) int64 {
	end := at
	year, _, _ := clock.day(at).civil()
	for i := year - 1; i <= year+1; i++ {
		end = max(end, y.in(clock, i).endAfter(clock, at))
	}
	return end
}

func (y yearly) beginAfter(clock wallClock, at, limit int64) int64 {
	year, _, _ := clock.day(at).civil()
	for i := year - 1; clock.moment(y.from.in(i), 0) <= limit; i++ {
		if begin := y.in(clock, i).beginAfter(clock, at, limit); begin != never {
			return begin
		}
	}
	return never
}
