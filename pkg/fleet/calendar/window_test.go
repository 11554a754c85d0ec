// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestNextDay(t *testing.T) {
	for name, tc := range map[string]struct{ zone, at, want string }{
		"UTC":                           {"UTC", "2026-11-22T12:00:00Z", "2026-11-23T00:00:00Z"},
		"at midnight":                   {"UTC", "2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z"},
		"a second before it":            {"UTC", "2026-11-22T23:59:59Z", "2026-11-23T00:00:00Z"},
		"another zone":                  {"Europe/Berlin", "2026-11-22T23:00:00Z", "2026-11-23T23:00:00Z"},
		"a day of 23 hours":             {"Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		"a day of 25 hours":             {"Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		"a day that begins at 01:00":    {"Asia/Beirut", "2026-03-28T12:00:00Z", "2026-03-28T22:00:00Z"},
		"an hour before midnight twice": {"Asia/Beirut", "2026-10-24T21:30:00Z", "2026-10-24T22:00:00Z"},
		// On that day, the clock went from 00:01 to 23:01 of the day before.
		"a midnight that comes twice": {"America/St_Johns", "2010-11-07T02:31:30Z", "2010-11-08T03:30:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			zone, err := LoadZone(tc.zone)
			if err != nil {
				t.Fatal(err)
			}
			at, err := time.Parse(time.RFC3339, tc.at)
			if err != nil {
				t.Fatal(err)
			}
			if got := NextDay(zone, at).UTC().Format(time.RFC3339); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestWindowsThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		window v1beta1.TimeWindowCheck
		want   string
	}{
		"zone":    {v1beta1.TimeWindowCheck{Start: "10:00", End: "11:00", TimeZone: "Local"}, `timeZone "Local" may mean another time on each machine: use a name of the IANA database, such as Europe/Berlin or UTC`},
		"time":    {v1beta1.TimeWindowCheck{Start: "10:00", End: "9:5"}, `"9:5" is not a time of day: use HH:MM, from 00:00 to 23:59`},
		"weekday": {v1beta1.TimeWindowCheck{Start: "10:00", End: "11:00", Weekdays: []v1beta1.Weekday{"mon"}}, `"mon" is not a day: use Mon, Tue, Wed, Thu, Fri, Sat or Sun`},
		"date":    {v1beta1.TimeWindowCheck{Start: "10:00", End: "11:00", ExcludeDates: []string{"02-30"}}, `"02-30" is not a day of the year: use MM-DD, such as 12-20`},
		"day":     {v1beta1.TimeWindowCheck{Start: "10:00", End: "11:00", ExcludeDates: []string{"2027-02-29"}}, `"2027-02-29" is not a day: use YYYY-MM-DD, such as 2026-11-27`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := CompileWindow(&tc.window)
			if err == nil || err.Error() != tc.want {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
}
