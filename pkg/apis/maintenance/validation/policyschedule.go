// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/calendar"
)

const (
	maxWindows = 16
	maxFreezes = 64
	// minWindowSeconds is the shortest window that opens by cron: with less, a window would close before the
	// server has looked at everything that waits.
	minWindowSeconds = 300
)

func validateSchedule(schedule *v1beta1.PolicySchedule, path *field.Path) field.ErrorList {
	if schedule == nil {
		return nil
	}
	allErrs := parses(schedule.TimeZone, path.Child("timeZone"), calendar.LoadZone)
	allErrs = append(allErrs, validateWindows(schedule.Windows, path.Child("windows"))...)
	allErrs = append(allErrs, validateFreezes(schedule.Freezes, path.Child("freezes"))...)
	if len(allErrs) > 0 {
		return allErrs // without windows that are right, it is not known which is the shortest
	}
	return validateLastStart(schedule, path.Child("lastStartSeconds"))
}

func validateWindows(windows []v1beta1.PolicyWindow, path *field.Path) field.ErrorList {
	if len(windows) > maxWindows {
		return field.ErrorList{field.TooMany(path, len(windows), maxWindows)}
	}
	var allErrs field.ErrorList
	names := uniqueNames{}
	for i := range windows {
		allErrs = append(allErrs, names.validate(windows[i].Name, path.Index(i).Child("name"))...)
		allErrs = append(allErrs, validateForm(formsOf(&windows[i]), windowForms, path.Index(i))...)
	}
	return allErrs
}

func validateFreezes(freezes []v1beta1.PolicyFreeze, path *field.Path) field.ErrorList {
	if len(freezes) > maxFreezes {
		return field.ErrorList{field.TooMany(path, len(freezes), maxFreezes)}
	}
	var allErrs field.ErrorList
	names := uniqueNames{}
	for i := range freezes {
		allErrs = append(allErrs, names.validate(freezes[i].Name, path.Index(i).Child("name"))...)
		forms := append(formsOf(&freezes[i].PolicyWindow), daysOf(&freezes[i])...)
		allErrs = append(allErrs, validateForm(forms, freezeForms, path.Index(i))...)
	}
	return allErrs
}

// validateLastStart checks that maintenance may start in each window at all.
func validateLastStart(schedule *v1beta1.PolicySchedule, path *field.Path) field.ErrorList {
	last := schedule.LastStartSeconds
	switch {
	case last < 0:
		return field.ErrorList{field.Invalid(path, last, "must not be negative")}
	case last > 0 && len(schedule.Windows) == 0:
		return field.ErrorList{field.Invalid(path, last, "needs windows: without them, maintenance may start at any time")}
	}
	var allErrs field.ErrorList
	for i := range schedule.Windows {
		window := &schedule.Windows[i]
		if takes := secondsOf(window); last >= takes {
			allErrs = append(allErrs, field.Invalid(path, last, fmt.Sprintf(
				"must be less than each window takes: %q takes %d seconds, so nothing could start in it", window.Name, takes)))
		}
	}
	return allErrs
}

// secondsOf is how long a window takes that is valid.
func secondsOf(window *v1beta1.PolicyWindow) int64 {
	switch {
	case window.Weekly != nil:
		start, _ := calendar.ParseTimeOfDay(window.Weekly.Start) // both were parsed before
		end, _ := calendar.ParseTimeOfDay(window.Weekly.End)
		minutes := int64(end - start)
		if minutes <= 0 {
			minutes += daySeconds / minuteSeconds
		}
		return minutes * minuteSeconds
	case window.DurationSeconds != nil:
		return *window.DurationSeconds
	default:
		return int64(window.Until.Sub(window.From.Time) / time.Second)
	}
}
