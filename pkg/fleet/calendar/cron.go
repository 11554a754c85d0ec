// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"fmt"
	"strings"
	"time"
)

// maxCronLength is longer than any expression that makes sense, and keeps errors short.
const maxCronLength = 256

// Cron is a parsed expression of five fields. Its zero value never matches.
type Cron struct {
	// minutes, hours, days, months and weekdays have a bit for each value that matches.
	minutes, hours, days, months, weekdays uint64
	// bothDays says that both day fields are restricted: a day needs to match only one of them.
	bothDays bool
}

// ParseCron parses the five fields of a line of cron: minute, hour, day of the month, month, day of the week. A field
// is *, a number, a range a-b, either of the two last with a step such as */15 or 8-18/2, or a list of these with
// commas. Months and days of the week also have names of three letters. Sunday is 0 or 7. Nothing else that some
// programs understand is allowed: no seconds, no years, no @daily, no TZ=.
func ParseCron(expr string) (Cron, error) {
	texts, err := cronTexts(expr)
	if err != nil {
		return Cron{}, err
	}
	var bits [5]uint64
	for i, text := range texts {
		if bits[i], err = cronFields[i].parse(text); err != nil {
			return Cron{}, err
		}
	}
	return Cron{
		minutes: bits[0], hours: bits[1], days: bits[2], months: bits[3], weekdays: sundayIsZero(bits[4]),
		bothDays: texts[2] != "*" && texts[4] != "*",
	}, nil
}

// cronTexts splits an expression into its five fields.
func cronTexts(expr string) ([]string, error) {
	texts := strings.Fields(expr)
	switch {
	case len(expr) > maxCronLength:
		return nil, fmt.Errorf("is %d bytes long: use at most %d", len(expr), maxCronLength)
	case strings.HasPrefix(expr, "@"):
		return nil, fmt.Errorf("%q is not one of five fields: write such times out, as 0 0 * * * for each midnight", expr)
	case strings.Contains(expr, "TZ="):
		return nil, fmt.Errorf("must not have a time zone: set the schedule's timeZone")
	case len(texts) != len(cronFields):
		return nil, fmt.Errorf("has %d fields: use five, minute, hour, day of the month, month and day of the week, "+
			"such as 0 22 * * 5", len(texts))
	}
	return texts, nil
}

// sundayIsZero moves the bit of the other Sunday, 7.
func sundayIsZero(weekdays uint64) uint64 {
	return (weekdays | weekdays>>7) & 0x7f
}

// BothDays says that the day of the month and the day of the week are both restricted. A day matches then if it
// matches one of them, which surprises many people.
func (c Cron) BothDays() bool {
	return c.bothDays
}

// matchesDay says whether the expression has times on a day.
func (c Cron) matchesDay(d Day) bool {
	_, month, day := d.civil()
	if c.months&(1<<month) == 0 {
		return false
	}
	byDay, byWeekday := c.days&(1<<day) != 0, c.weekdays&(1<<d.weekday()) != 0
	if c.bothDays {
		return byDay || byWeekday
	}
	return byDay && byWeekday
}

// starts returns the times of day that match, in their order.
func (c Cron) starts() []TimeOfDay {
	var starts []TimeOfDay
	for t := range TimeOfDay(24 * 60) {
		if c.hours&(1<<(t/60)) != 0 && c.minutes&(1<<(t%60)) != 0 {
			starts = append(starts, t)
		}
	}
	return starts
}

// weekday is the day of the week.
func (d Day) weekday() time.Weekday {
	const firstDay = int(time.Thursday) // January 1, 1970
	return time.Weekday(((int(d)+firstDay)%7 + 7) % 7)
}
