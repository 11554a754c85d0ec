// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/calendar"
)

func validateTimeWindow(check *v1beta1.TimeWindowCheck, path *field.Path) field.ErrorList {
	allErrs := parses(check.Start, path.Child("start"), calendar.ParseTimeOfDay)
	allErrs = append(allErrs, parses(check.End, path.Child("end"), calendar.ParseTimeOfDay)...)
	allErrs = append(allErrs, validateWeekdays(check.Weekdays, path.Child("weekdays"))...)
	allErrs = append(allErrs, validateZone(check.TimeZone, path.Child("timeZone"))...)
	if count := len(check.ExcludeDates); count > v1beta1.MaxExcludeDates {
		return append(allErrs, field.TooMany(path.Child("excludeDates"), count, v1beta1.MaxExcludeDates))
	}
	return append(allErrs, validateSet(check.ExcludeDates, path.Child("excludeDates"), validateExcludedDate)...)
}

func validateWeekdays(days []v1beta1.Weekday, path *field.Path) field.ErrorList {
	return validateSet(days, path, func(day v1beta1.Weekday, path *field.Path) field.ErrorList {
		return validateEnum(day, weekdays, path)
	})
}

// validateZone checks the name of a time zone that need not be set.
func validateZone(zone string, path *field.Path) field.ErrorList {
	if zone == "" {
		return nil
	}
	return parses(zone, path, calendar.LoadZone)
}

// validateExcludedDate checks a day of each year, or of one.
func validateExcludedDate(date string, path *field.Path) field.ErrorList {
	_, everyYear := calendar.ParseYearDay(date)
	_, oneYear := calendar.ParseDate(date)
	if everyYear == nil || oneYear == nil {
		return nil
	}
	return field.ErrorList{field.Invalid(path, quoted(date), "is not a day: use MM-DD for each year, such as 12-24, or YYYY-MM-DD for one, such as 2026-11-27")}
}

func validateWait(check *v1beta1.WaitCheck, path *field.Path) field.ErrorList {
	allErrs := validateRange(check.Seconds, 1, yearSeconds, path.Child("seconds"))
	allErrs = append(allErrs, validateWeekdays(check.ExcludeWeekdays, path.Child("excludeWeekdays"))...)
	if len(allErrs) == 0 && len(check.ExcludeWeekdays) == len(weekdays) {
		allErrs = append(allErrs, field.Invalid(path.Child("excludeWeekdays"), fmt.Sprint(check.ExcludeWeekdays),
			"must leave one day at least: no time would ever count"))
	}
	return append(allErrs, validateZone(check.TimeZone, path.Child("timeZone"))...)
}

func validateScheduled(scheduled *v1beta1.ScheduledSchedule, path *field.Path) field.ErrorList {
	allErrs := parses(scheduled.At, path.Child("at"), calendar.ParseTimeOfDay)
	allErrs = append(allErrs, validateWeekdays(scheduled.Weekdays, path.Child("weekdays"))...)
	return append(allErrs, validateZone(scheduled.TimeZone, path.Child("timeZone"))...)
}
