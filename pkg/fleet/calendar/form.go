// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"errors"
	"fmt"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// compileRule returns the rule of a freeze. A window is a freeze with fewer forms.
func compileRule(zone *time.Location, f v1beta1.PolicyFreeze) (rule, error) {
	switch {
	case f.Weekly != nil:
		return compileWeekly(f.Weekly)
	case f.Cron != "":
		return compileCron(f.Cron, f.DurationSeconds)
	case f.From != nil && f.Until != nil:
		return once{from: f.From.Unix(), until: f.Until.Unix()}, nil
	case f.Dates != nil:
		return compileDates(zone, f.Dates)
	case f.Yearly != nil:
		return compileYearly(f.Yearly)
	}
	return nil, errors.New("says no time")
}

// weekdays are the names of the days in the API.
var weekdays = map[v1beta1.Weekday]time.Weekday{
	v1beta1.Monday: time.Monday, v1beta1.Tuesday: time.Tuesday, v1beta1.Wednesday: time.Wednesday,
	v1beta1.Thursday: time.Thursday, v1beta1.Friday: time.Friday, v1beta1.Saturday: time.Saturday,
	v1beta1.Sunday: time.Sunday,
}

func compileWeekly(w *v1beta1.WeeklyTime) (rule, error) {
	compiled, err := compileDays(w)
	if err != nil {
		return nil, err
	}
	return compiled, nil
}

func compileDays(w *v1beta1.WeeklyTime) (weekly, error) {
	start, startErr := ParseTimeOfDay(w.Start)
	end, endErr := ParseTimeOfDay(w.End)
	days, daysErr := Weekdays(w.Days)
	if err := errors.Join(startErr, endErr, daysErr); err != nil {
		return weekly{}, err
	}
	return newWeekly(days, start, end), nil
}

// Weekdays returns the days of the week that names of the API stand for.
func Weekdays(names []v1beta1.Weekday) ([]time.Weekday, error) {
	days := make([]time.Weekday, len(names))
	for i, name := range names {
		day, ok := weekdays[name]
		if !ok {
			return nil, fmt.Errorf("%q is not a day: use Mon, Tue, Wed, Thu, Fri, Sat or Sun", name)
		}
		days[i] = day
	}
	return days, nil
}

func compileCron(expr string, duration *int64) (rule, error) {
	cron, err := ParseCron(expr)
	if err != nil {
		return nil, fmt.Errorf("cron %w", err)
	}
	if duration == nil || *duration < MinDurationSeconds || *duration > MaxDurationSeconds {
		return nil, fmt.Errorf("cron needs durationSeconds from %d to %d", MinDurationSeconds, MaxDurationSeconds)
	}
	return newCronRule(cron, *duration), nil
}

func compileDates(zone *time.Location, d *v1beta1.DateRange) (rule, error) {
	from, fromErr := ParseDate(d.From)
	until, untilErr := ParseDate(d.Until)
	if err := errors.Join(fromErr, untilErr); err != nil {
		return nil, err
	}
	clock := newWallClock(zone, int64(from-margin)*secondsPerDay, int64(until+margin)*secondsPerDay)
	return once{from: clock.moment(from, 0), until: clock.moment(until+1, 0)}, nil
}

func compileYearly(y *v1beta1.YearlyRange) (rule, error) {
	from, fromErr := ParseYearDay(y.From)
	until, untilErr := ParseYearDay(y.Until)
	if err := errors.Join(fromErr, untilErr); err != nil {
		return nil, err
	}
	return yearly{from: from, until: until}, nil
}
