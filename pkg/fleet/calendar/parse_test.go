// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"strings"
	"testing"
	"time"
)

func TestParseTimeOfDay(t *testing.T) {
	for text, want := range map[string]TimeOfDay{"00:00": 0, "09:05": 545, "23:59": 1439} {
		if got, err := ParseTimeOfDay(text); err != nil || got != want {
			t.Errorf("ParseTimeOfDay(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "9:05", "24:00", "12:60", "12", "12:00:00", "12.00", "-1:00", " 12:00", "1200 "} {
		_, err := ParseTimeOfDay(text)
		wantError(t, text, err, "use HH:MM, from 00:00 to 23:59")
	}
}

func TestParseDate(t *testing.T) {
	got, err := ParseDate("2028-02-29")
	if year, month, day := got.civil(); err != nil || year != 2028 || month != time.February || day != 29 {
		t.Errorf("ParseDate(2028-02-29) = %d-%d-%d, %v", year, month, day, err)
	}
	for _, text := range []string{"", "2026-02-29", "2026-11-31", "2026-1-2", "27.11.2026", "2026-11-27T00:00:00Z"} {
		_, err := ParseDate(text)
		wantError(t, text, err, "use YYYY-MM-DD, such as 2026-11-27")
	}
}

func TestParseYearDay(t *testing.T) {
	for text, want := range map[string]YearDay{
		"01-01": {time.January, 1}, "02-29": {time.February, 29}, "12-31": {time.December, 31},
	} {
		if got, err := ParseYearDay(text); err != nil || got != want {
			t.Errorf("ParseYearDay(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "02-30", "13-01", "00-10", "1-1", "2026-01-01", "20.12."} {
		_, err := ParseYearDay(text)
		wantError(t, text, err, "use MM-DD, such as 12-20")
	}
}

func TestYearDayBefore(t *testing.T) {
	for name, tc := range map[string]struct {
		a, b YearDay
		want bool
	}{
		"a day earlier":   {YearDay{2, 28}, YearDay{2, 29}, true},
		"a month earlier": {YearDay{2, 29}, YearDay{3, 1}, true},
		"the same":        {YearDay{3, 1}, YearDay{3, 1}, false},
		"a month later":   {YearDay{12, 1}, YearDay{1, 31}, false},
	} {
		if got := tc.a.Before(tc.b); got != tc.want {
			t.Errorf("%s: Before() = %v, want %v", name, got, tc.want)
		}
	}
}

func TestFebruary29(t *testing.T) {
	leapDay := YearDay{time.February, 29}
	for year, want := range map[int]Day{2027: dayOf(2027, 3, 1), 2028: dayOf(2028, 2, 29)} {
		if got := leapDay.in(year); got != want {
			t.Errorf("February 29 in %d is day %d, want %d", year, got, want)
		}
	}
}

func TestWeekday(t *testing.T) {
	for _, d := range []Day{-800, -1, 0, 20000, dayOf(2026, 11, 28)} {
		year, month, day := d.civil()
		if got, want := d.weekday(), time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Weekday(); got != want {
			t.Errorf("day %d is a %s, want %s", d, got, want)
		}
	}
}

func TestLoadZone(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "Etc/GMT+5", "America/Argentina/Buenos_Aires"} {
		if zone, err := LoadZone(name); err != nil || zone.String() != name {
			t.Errorf("LoadZone(%q) = %v, %v", name, zone, err)
		}
	}
	for name, want := range map[string]string{
		"": "has no name", "Local": "on each machine", "localtime": "on each machine", "right/UTC": "on each machine",
		"posix/UTC": "on each machine", "posixrules": "on each machine", "Factory": "on each machine",
		"TZ=UTC": "is not known", "UTC+1": "is not known", "Europe/Bielefeld": "is not known",
		"../UTC": "is not known", "/etc/localtime": "is not known",
	} {
		_, err := LoadZone(name)
		wantError(t, name, err, want)
		wantError(t, name, err, "use a name of the IANA database")
	}
}

// wantError expects a text to be refused with a message.
func wantError(t *testing.T, text string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%q: %v, want %q", text, err, want)
	}
}
