// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import "time"

// withoutDate is how far away the day of the week and the time still say when something is.
const withoutDate = 6 * 24 * time.Hour

// Text returns a moment as people in the zone of the calendar would say it: Sat 22:00 CET. It has the date, too, if it
// is more than 6 days away from now.
func (c *Calendar) Text(at, now time.Time) string {
	layout := "Mon 15:04 MST"
	if at.Sub(now).Abs() > withoutDate {
		layout = "Mon 2006-01-02 15:04 MST"
	}
	return at.In(c.zone).Format(layout)
}
