// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestOpenings(t *testing.T) {
	nights := weeklyWindow("night", "22:00", "04:00", "Fri", "Sat")
	for name, tc := range map[string]struct {
		calendar *Calendar
		now      string
		n        int
		want     []string
	}{
		"each night, open now": {compiled(t, "", 0, windows(nights)), "2026-11-21 02:00 +0000", 2, []string{
			"Sat 2026-11-21 02:00 +0000 until Sat 2026-11-21 04:00 +0000",
			"Sat 2026-11-21 22:00 +0000 until Sun 2026-11-22 04:00 +0000",
		}},
		"the end is no part": {compiled(t, "", 0, windows(nights)), "2026-11-21 04:00 +0000", 1, []string{
			"Sat 2026-11-21 22:00 +0000 until Sun 2026-11-22 04:00 +0000",
		}},
		"touching windows are one": {
			compiled(t, "", 1800, windows(weeklyWindow("a", "20:00", "22:00", "Fri"), nights)),
			"2026-11-20 12:00 +0000", 2,
			[]string{
				"Fri 2026-11-20 20:00 +0000 until Sat 2026-11-21 03:30 +0000",
				"Sat 2026-11-21 22:00 +0000 until Sun 2026-11-22 03:30 +0000",
			},
		},
		"whole days are one": {
			compiled(t, "", 3600, windows(weeklyWindow("weekend", "00:00", "00:00", "Sat", "Sun"))),
			"2026-11-20 12:00 +0000", 1,
			[]string{"Sat 2026-11-21 00:00 +0000 until Sun 2026-11-22 23:00 +0000"},
		},
		"no window": {compiled(t, "", 0, nil), "2026-11-20 12:00 +0000", 5, []string{
			"Fri 2026-11-20 12:00 +0000 until for good",
		}},
		"a window that never ends": {
			compiled(t, "", 3600, windows(weeklyWindow("all", "00:00", "00:00"))), "2026-11-20 12:00 +0000", 5,
			[]string{"Fri 2026-11-20 12:00 +0000 until for good"},
		},
		"a window that comes each minute": {
			compiled(t, "", 200, windows(cronWindow("all", "* * * * *", 300))), "2026-11-20 12:00 +0000", 5,
			[]string{"Fri 2026-11-20 12:00 +0000 until for good"},
		},
		"a window that never comes": {
			compiled(t, "", 0, windows(cronWindow("none", "0 0 30 2 *", 300))), "2026-11-20 12:00 +0000", 5, []string{},
		},
		"a window that is over": {
			compiled(t, "", 0, windows(onceWindow("once", at(t, "2026-11-01 10:00 +0000"), at(t, "2026-11-01 12:00 +0000")))),
			"2026-11-01 12:00 +0000", 5,
			[]string{},
		},
		"both day fields, either": {
			compiled(t, "", 0, windows(cronWindow("c", "0 20 1 * 5", 3600))), "2026-11-27 21:00 +0000", 3, []string{
				"Tue 2026-12-01 20:00 +0000 until Tue 2026-12-01 21:00 +0000",
				"Fri 2026-12-04 20:00 +0000 until Fri 2026-12-04 21:00 +0000",
				"Fri 2026-12-11 20:00 +0000 until Fri 2026-12-11 21:00 +0000",
			},
		},
		"a freeze cuts windows": {
			compiled(t, "", 1800, windows(nights), freeze(onceWindow("f", at(t, "2026-11-21 00:00 +0000"), at(t, "2026-11-21 23:00 +0000")))),
			"2026-11-20 12:00 +0000", 2,
			[]string{
				"Fri 2026-11-20 22:00 +0000 until Sat 2026-11-21 00:00 +0000",
				"Sat 2026-11-21 23:00 +0000 until Sun 2026-11-22 03:30 +0000",
			},
		},
		"overlapping and touching freezes": {
			compiled(t, "", 0, nil, dates("a", "2026-11-27", "2026-11-30"), dates("b", "2026-11-29", "2026-12-01"), dates("c", "2026-12-02", "2026-12-02")),
			"2026-11-26 12:00 +0000", 5,
			[]string{
				"Thu 2026-11-26 12:00 +0000 until Fri 2026-11-27 00:00 +0000",
				"Thu 2026-12-03 00:00 +0000 until for good",
			},
		},
		"a freeze that leaves no time for a last start": {
			compiled(t, "", 1800, windows(nights), freeze(onceWindow("f", at(t, "2026-11-20 12:00 +0000"), at(t, "2026-11-21 03:30 +0000")))),
			"2026-11-20 13:00 +0000", 1,
			[]string{"Sat 2026-11-21 22:00 +0000 until Sun 2026-11-22 03:30 +0000"},
		},
		"a freeze of all days": {
			compiled(t, "", 0, windows(nights), everyYear("all", "01-02", "01-01")), "2026-11-20 12:00 +0000", 5, []string{},
		},
		"days of a year across New Year": {
			compiled(t, "Europe/Berlin", 0, nil, everyYear("xmas", "12-20", "01-02")), "2026-12-19 12:00 +0100", 2, []string{
				"Sat 2026-12-19 12:00 +0100 until Sun 2026-12-20 00:00 +0100",
				"Sun 2027-01-03 00:00 +0100 until Mon 2027-12-20 00:00 +0100",
			},
		},
		"a night across New Year": {
			compiled(t, "Europe/Berlin", 0, windows(weeklyWindow("n", "23:30", "00:30", "Thu"))), "2026-12-31 12:00 +0100", 1,
			[]string{"Thu 2026-12-31 23:30 +0100 until Fri 2027-01-01 00:30 +0100"},
		},
		"February 29 in another year is March 1": {
			compiled(t, "", 0, nil, everyYear("leap", "02-29", "02-29")), "2027-02-27 12:00 +0000", 2, []string{
				"Sat 2027-02-27 12:00 +0000 until Mon 2027-03-01 00:00 +0000",
				"Tue 2027-03-02 00:00 +0000 until Tue 2028-02-29 00:00 +0000",
			},
		},
		"until February 29": {
			compiled(t, "", 0, nil, everyYear("leap", "02-28", "02-29")), "2028-02-27 12:00 +0000", 2, []string{
				"Sun 2028-02-27 12:00 +0000 until Mon 2028-02-28 00:00 +0000",
				"Wed 2028-03-01 00:00 +0000 until Wed 2029-02-28 00:00 +0000",
			},
		},
		"cron on February 29": {
			compiled(t, "", 0, windows(cronWindow("leap", "0 12 29 2 *", 3600))), "2027-11-20 12:00 +0000", 1,
			[]string{"Tue 2028-02-29 12:00 +0000 until Tue 2028-02-29 13:00 +0000"},
		},
		"February 29, too far away": {
			compiled(t, "", 0, windows(cronWindow("leap", "0 12 29 2 *", 3600))), "2026-11-20 12:00 +0000", 1, []string{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := openings(t, tc.calendar, at(t, tc.now), tc.n)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("openings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAt(t *testing.T) {
	c := compiled(t, "Europe/Berlin", 1800,
		windows(weeklyWindow("short", "22:00", "23:00", "Fri"), weeklyWindow("night", "22:00", "04:00", "Fri", "Sat")),
		dates("sale", "2026-11-27", "2026-11-28"), freeze(onceWindow("call", at(t, "2026-11-21 23:00 +0100"), at(t, "2026-11-21 23:30 +0100"))),
	)
	for name, tc := range map[string]struct {
		now  string
		want State
	}{
		"before a window": {"2026-11-20 21:59 +0100", State{
			Reason: v1beta1.AdmissionWindowClosed, Until: at(t, "2026-11-20 22:00 +0100"),
		}},
		"in the longest of two": {"2026-11-20 22:00 +0100", State{
			MayStart: true, Name: "night", Until: at(t, "2026-11-21 03:30 +0100"),
		}},
		"too late to start": {"2026-11-21 03:30 +0100", State{
			Reason: v1beta1.AdmissionWindowClosed, Name: "night", Until: at(t, "2026-11-21 22:00 +0100"),
		}},
		"before a freeze": {"2026-11-21 22:30 +0100", State{
			MayStart: true, Name: "night", Until: at(t, "2026-11-21 23:00 +0100"),
		}},
		"in a freeze, in a window": {"2026-11-21 23:29 +0100", State{
			Reason: v1beta1.AdmissionFrozen, Name: "call", Until: at(t, "2026-11-21 23:30 +0100"),
		}},
		"after a freeze": {"2026-11-21 23:30 +0100", State{
			MayStart: true, Name: "night", Until: at(t, "2026-11-22 03:30 +0100"),
		}},
		"closed, and a freeze is next": {"2026-11-26 12:00 +0100", State{
			Reason: v1beta1.AdmissionWindowClosed, Until: at(t, "2026-11-27 00:00 +0100"),
		}},
		"in a freeze of days": {"2026-11-27 22:00 +0100", State{
			Reason: v1beta1.AdmissionFrozen, Name: "sale", Until: at(t, "2026-11-29 00:00 +0100"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.want.Holds = tc.want.Until
			got := c.At(at(t, tc.now))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("At() (-want +got):\n%s", diff)
			}
			wantClose := time.Time{}
			if tc.want.MayStart {
				wantClose = tc.want.Until
			}
			if got := c.NextClose(at(t, tc.now)); !got.Equal(wantClose) {
				t.Errorf("NextClose() = %s, want %s", got, wantClose)
			}
		})
	}
}

func TestFractionsOfSeconds(t *testing.T) {
	c := compiled(t, "", 0, windows(weeklyWindow("night", "22:00", "23:00")))
	lastMoment := at(t, "2026-11-20 23:00 +0000").Add(-time.Nanosecond)
	if !c.At(lastMoment).MayStart || !c.NextStart(lastMoment).Equal(lastMoment) {
		t.Errorf("At(%s) = %+v, want an open window", lastMoment, c.At(lastMoment))
	}
	early := at(t, "2026-11-20 22:00 +0000").Add(-time.Nanosecond)
	if c.At(early).MayStart || !c.NextStart(early).Equal(at(t, "2026-11-20 22:00 +0000")) {
		t.Errorf("At(%s) = %+v, want a closed window", early, c.At(early))
	}
}

func TestWithoutSchedule(t *testing.T) {
	c, err := Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	now := at(t, "2026-11-20 12:00 +0000")
	if diff := cmp.Diff(State{MayStart: true}, c.At(now)); diff != "" {
		t.Errorf("At() (-want +got):\n%s", diff)
	}
	if got := c.NextStart(now); !got.Equal(now) {
		t.Errorf("NextStart() = %s, want %s", got, now)
	}
}
