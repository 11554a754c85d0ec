// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/calendar"
)

// maxScheduleText is longer than any text of a schedule that makes sense.
const maxScheduleText = 256

var weekdays = []v1beta1.Weekday{
	v1beta1.Monday, v1beta1.Tuesday, v1beta1.Wednesday, v1beta1.Thursday,
	v1beta1.Friday, v1beta1.Saturday, v1beta1.Sunday,
}

// What a window and a freeze may be, for errors.
const (
	windowForms = "weekly; cron with durationSeconds; or from with until"
	freezeForms = "weekly; cron with durationSeconds; from with until; dates; or yearly"
)

// form is one of the ways to say when a time begins and ends.
type form struct {
	name string
	// used says that the time is said in this way.
	used     bool
	validate func(path *field.Path) field.ErrorList
}

func formsOf(window *v1beta1.PolicyWindow) []form {
	return []form{
		{"weekly", window.Weekly != nil, func(path *field.Path) field.ErrorList { return validateWeekly(window.Weekly, path.Child("weekly")) }},
		{"cron", window.Cron != "" || window.DurationSeconds != nil, func(path *field.Path) field.ErrorList { return validateCron(window, path) }},
		{"from", window.From != nil || window.Until != nil, func(path *field.Path) field.ErrorList { return validateOnce(window, path) }},
	}
}

// daysOf are the forms that only a freeze has.
func daysOf(freeze *v1beta1.PolicyFreeze) []form {
	return []form{
		{"dates", freeze.Dates != nil, func(path *field.Path) field.ErrorList { return validateDates(freeze.Dates, path.Child("dates")) }},
		{"yearly", freeze.Yearly != nil, func(path *field.Path) field.ErrorList { return validateYearly(freeze.Yearly, path.Child("yearly")) }},
	}
}

// validateForm checks that one form is used, and that it is right.
func validateForm(forms []form, want string, path *field.Path) field.ErrorList {
	used := slices.DeleteFunc(forms, func(f form) bool { return !f.used })
	if len(used) == 1 {
		return used[0].validate(path)
	}
	if len(used) == 0 {
		return field.ErrorList{field.Required(path, "must say when it is: "+want)}
	}
	var names []string
	for _, f := range used {
		names = append(names, f.name)
	}
	return field.ErrorList{field.Invalid(path, strings.Join(names, ", "), "must have exactly one of: "+want)}
}

func validateWeekly(weekly *v1beta1.WeeklyTime, path *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	days := sets.New[v1beta1.Weekday]()
	for i, day := range weekly.Days {
		allErrs = append(allErrs, validateEnum(day, weekdays, path.Child("days").Index(i))...)
		if days.Has(day) {
			allErrs = append(allErrs, field.Duplicate(path.Child("days").Index(i), quoted(string(day))))
		}
		days.Insert(day)
	}
	allErrs = append(allErrs, parses(weekly.Start, path.Child("start"), calendar.ParseTimeOfDay)...)
	return append(allErrs, parses(weekly.End, path.Child("end"), calendar.ParseTimeOfDay)...)
}

func validateCron(window *v1beta1.PolicyWindow, path *field.Path) field.ErrorList {
	allErrs := parses(window.Cron, path.Child("cron"), calendar.ParseCron)
	if window.DurationSeconds == nil {
		return append(allErrs, field.Required(path.Child("durationSeconds"), "must be set with cron"))
	}
	return append(allErrs, validateRange(*window.DurationSeconds, minWindowSeconds, weekSeconds, path.Child("durationSeconds"))...)
}

func validateOnce(window *v1beta1.PolicyWindow, path *field.Path) field.ErrorList {
	switch {
	case window.From == nil:
		return field.ErrorList{field.Required(path.Child("from"), "must be set with until")}
	case window.Until == nil:
		return field.ErrorList{field.Required(path.Child("until"), "must be set with from")}
	case !window.From.Before(window.Until):
		return field.ErrorList{field.Invalid(path.Child("until"), window.Until, "must be after from")}
	}
	return append(validateTime(window.From, path.Child("from")), validateTime(window.Until, path.Child("until"))...)
}

func validateDates(dates *v1beta1.DateRange, path *field.Path) field.ErrorList {
	allErrs := parses(dates.From, path.Child("from"), calendar.ParseDate)
	allErrs = append(allErrs, parses(dates.Until, path.Child("until"), calendar.ParseDate)...)
	if len(allErrs) == 0 && dates.Until < dates.From { // both are YYYY-MM-DD
		allErrs = append(allErrs, field.Invalid(path.Child("until"), dates.Until, "must not be before from"))
	}
	return allErrs
}

func validateYearly(days *v1beta1.YearlyRange, path *field.Path) field.ErrorList {
	allErrs := parses(days.From, path.Child("from"), calendar.ParseYearDay)
	return append(allErrs, parses(days.Until, path.Child("until"), calendar.ParseYearDay)...)
}

// parses checks that a text can be parsed. The error of parse says what would be right.
func parses[T any](text string, path *field.Path, parse func(string) (T, error)) field.ErrorList {
	if text == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	if len(text) > maxScheduleText {
		return field.ErrorList{field.TooLong(path, "", maxScheduleText)}
	}
	if _, err := parse(text); err != nil {
		return field.ErrorList{field.Invalid(path, text, err.Error())}
	}
	return nil
}

// uniqueNames are the names of a list.
type uniqueNames map[string]bool

func (n uniqueNames) validate(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "must tell it from others, in messages")}
	}
	if n[name] {
		return field.ErrorList{field.Duplicate(path, quoted(name))}
	}
	n[name] = true
	var allErrs field.ErrorList
	for _, problem := range apivalidation.NameIsDNSLabel(name, false) {
		allErrs = append(allErrs, field.Invalid(path, quoted(name), problem))
	}
	return allErrs
}
