// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"fmt"
	"time"
)

// TimeOfDay is what a clock on the wall shows, in minutes since midnight.
type TimeOfDay int

// Day is a day of the calendar, as the number of days since January 1, 1970.
type Day int

// YearDay is a day of each year. February 29 is one, and acts as March 1 in years that do not have it.
type YearDay struct {
	Month time.Month
	Day   int
}

// ParseTimeOfDay parses a time of day as HH:MM, from 00:00 to 23:59.
func ParseTimeOfDay(text string) (TimeOfDay, error) {
	t, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, fmt.Errorf("%q is not a time of day: use HH:MM, from 00:00 to 23:59", text)
	}
	return TimeOfDay(t.Hour()*60 + t.Minute()), nil
}

// ParseDate parses a day as YYYY-MM-DD.
func ParseDate(text string) (Day, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a day: use YYYY-MM-DD, such as 2026-11-27", text)
	}
	return dayOf(t.Date()), nil
}

// ParseYearDay parses a day of each year as MM-DD. 02-29 is allowed.
func ParseYearDay(text string) (YearDay, error) {
	const leapYear = "2024-"
	t, err := time.Parse(time.DateOnly, leapYear+text)
	if err != nil {
		return YearDay{}, fmt.Errorf("%q is not a day of the year: use MM-DD, such as 12-20", text)
	}
	return YearDay{Month: t.Month(), Day: t.Day()}, nil
}

// Before says whether the day comes before another one of the same year.
func (y YearDay) Before(other YearDay) bool {
	return y.Month < other.Month || y.Month == other.Month && y.Day < other.Day
}

// in is the day in a year.
func (y YearDay) in(year int) Day {
	return dayOf(year, y.Month, y.Day)
}

// secondsPerDay is how long a day is that no change of the clock makes longer or shorter.
const secondsPerDay = 24 * 60 * 60

// dayOf returns the day of a date. A day after the end of its month is one of the next month.
func dayOf(year int, month time.Month, day int) Day {
	return Day(floorDays(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()))
}

// civil is the date of the day.
func (d Day) civil() (int, time.Month, int) {
	return time.Unix(int64(d)*secondsPerDay, 0).UTC().Date()
}

// floorDays returns how many whole days seconds are. Those before 1970 are negative.
func floorDays(seconds int64) int64 {
	days := seconds / secondsPerDay
	if seconds%secondsPerDay < 0 {
		days--
	}
	return days
}
