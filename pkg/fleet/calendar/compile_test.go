// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestCompileRefuses(t *testing.T) {
	week := int64(MaxDurationSeconds)
	for name, tc := range map[string]struct {
		schedule v1beta1.PolicySchedule
		want     string
	}{
		"the machine's zone": {v1beta1.PolicySchedule{TimeZone: "Local"}, `timeZone "Local" may mean another time`},
		"no time":            {v1beta1.PolicySchedule{Windows: windows(v1beta1.PolicyWindow{Name: "w"})}, `window "w": says no time`},
		"no end":             {v1beta1.PolicySchedule{Windows: windows(weeklyWindow("w", "22:00", ""))}, `window "w": "" is not a time of day`},
		"no such day":        {v1beta1.PolicySchedule{Windows: windows(weeklyWindow("w", "22:00", "23:00", "Friday"))}, "use Mon, Tue"},
		"cron":               {v1beta1.PolicySchedule{Windows: windows(cronWindow("w", "@daily", 300))}, `window "w": cron "@daily" is not`},
		"too short":          {v1beta1.PolicySchedule{Windows: windows(cronWindow("w", "0 0 * * *", 299))}, "durationSeconds from 300 to 604800"},
		"too long":           {v1beta1.PolicySchedule{Windows: windows(cronWindow("w", "0 0 * * *", week+1))}, "durationSeconds from 300 to 604800"},
		"no duration":        {v1beta1.PolicySchedule{Windows: windows(v1beta1.PolicyWindow{Cron: "0 0 * * *"})}, "cron needs durationSeconds"},
		"a date":             {v1beta1.PolicySchedule{Freezes: []v1beta1.PolicyFreeze{dates("f", "2026-02-29", "2026-03-01")}}, `freeze "f": "2026-02-29" is not a day`},
		"a day of a year":    {v1beta1.PolicySchedule{Freezes: []v1beta1.PolicyFreeze{everyYear("f", "12-20", "1-2")}}, `freeze "f": "1-2" is not a day of the year`},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Compile(&tc.schedule)
			if c != nil {
				t.Errorf("Compile() = %+v, want none", c)
			}
			wantError(t, name, err, tc.want)
		})
	}
}

func TestText(t *testing.T) {
	c := compiled(t, "Europe/Berlin", 0, windows(weeklyWindow("w", "22:00", "23:00", "Sat")))
	for name, tc := range map[string]struct{ now, want string }{
		"this week":      {"2026-11-20 12:00 +0100", "opens Sat 22:00 CET"},
		"six days away":  {"2026-11-22 22:00 +0100", "opens Sat 22:00 CET"},
		"seven days":     {"2026-11-21 23:00 +0100", "opens Sat 2026-11-28 22:00 CET"},
		"open":           {"2026-11-21 22:30 +0100", ""},
		"in summer time": {"2026-07-17 12:00 +0200", "opens Sat 22:00 CEST"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.Timeline(at(t, tc.now), nil).Opens(at(t, tc.now)); got != tc.want {
				t.Errorf("Opens() = %q, want %q", got, tc.want)
			}
		})
	}
	never := compiled(t, "", 0, windows(cronWindow("w", "0 0 30 2 *", 300)))
	if got, want := never.Timeline(time.Now(), nil).Opens(time.Now()), "does not open within a year"; got != want {
		t.Errorf("Opens() = %q, want %q", got, want)
	}
}
