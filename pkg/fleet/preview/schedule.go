// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/calendar"
)

// scheduleWarnings warns of times that never come, or come more often than one may think.
func scheduleWarnings(schedule *v1beta1.PolicySchedule, now time.Time) []string {
	times, err := calendar.Compile(schedule)
	if err != nil || schedule == nil {
		return nil
	}
	var warnings []string
	warn := func(format string, names []string) {
		if len(names) > 0 {
			warnings = append(warnings, fmt.Sprintf(format, strings.Join(names, ", ")))
		}
	}
	windows, freezes := times.Over(now)
	warn("spec.schedule.windows: these are over, and do not come again: %s", windows)
	warn("spec.schedule.freezes: these are over, and do not come again: %s", freezes)
	warn("spec.schedule: the cron of %s restricts the day of the month and the day of the week: "+
		"it matches the days that match one of the two, and not only those that match both", bothDays(schedule))
	if times.NextStart(now).IsZero() {
		warnings = append(warnings, "spec.schedule: no maintenance can start within a year")
	}
	return warnings
}

// bothDays returns the names of the windows and freezes whose cron restricts both day fields.
func bothDays(schedule *v1beta1.PolicySchedule) []string {
	all := slices.Clone(schedule.Windows)
	for _, freeze := range schedule.Freezes {
		all = append(all, freeze.PolicyWindow)
	}
	var names []string
	for _, window := range all {
		if cron, err := calendar.ParseCron(window.Cron); err == nil && cron.BothDays() {
			names = append(names, window.Name)
		}
	}
	return names
}
