// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"errors"
	"fmt"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// CompileWindow returns a calendar whose only window is that of a check of the kind timeWindow, or says what is wrong with
// it.
func CompileWindow(w *v1beta1.TimeWindowCheck) (*Calendar, error) {
	zone, err := ZoneOrUTC(w.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("timeZone %w", err)
	}
	compiled, err := compileDays(&v1beta1.WeeklyTime{Days: w.Weekdays, Start: w.Start, End: w.End})
	if err != nil {
		return nil, err
	}
	if compiled.excluded, err = compileExcluded(w.ExcludeDates); err != nil {
		return nil, err
	}
	return &Calendar{zone: zone, windows: union{{rule: compiled}}}, nil
}

// ZoneOrUTC returns the time zone with a name of the IANA database, or UTC without a name.
func ZoneOrUTC(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	return LoadZone(name)
}

// excluded are days on which a weekly time does not begin. February 29 is excluded in the years that have it.
type excluded struct {
	days     map[Day]bool
	yearDays map[YearDay]bool
}

func (e excluded) has(d Day) bool {
	if len(e.yearDays) == 0 {
		return e.days[d]
	}
	_, month, day := d.civil()
	return e.days[d] || e.yearDays[YearDay{Month: month, Day: day}]
}

// compileExcluded parses days as YYYY-MM-DD, and days of each year as MM-DD.
func compileExcluded(dates []string) (excluded, error) {
	e := excluded{days: map[Day]bool{}, yearDays: map[YearDay]bool{}}
	var errs []error
	for _, text := range dates {
		if len(text) == len("01-02") {
			day, err := ParseYearDay(text)
			errs, e.yearDays[day] = append(errs, err), true
			continue
		}
		day, err := ParseDate(text)
		errs, e.days[day] = append(errs, err), true
	}
	return e, errors.Join(errs...)
}
