// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// TestChangesOfClocks shows what windows do on days on which the clock is put forward or back.
func TestChangesOfClocks(t *testing.T) {
	for name, tc := range map[string]struct {
		zone   string
		window v1beta1.PolicyWindow
		now    string
		want   string
	}{
		"Berlin, forward, start is skipped": {
			"Europe/Berlin", weeklyWindow("w", "02:30", "04:00"), "2026-03-29 00:00 +0100",
			"Sun 2026-03-29 03:00 +0200 until Sun 2026-03-29 04:00 +0200",
		},
		"Berlin, forward, end is skipped": {
			"Europe/Berlin", weeklyWindow("w", "01:00", "02:30"), "2026-03-29 00:00 +0100",
			"Sun 2026-03-29 01:00 +0100 until Sun 2026-03-29 03:00 +0200",
		},
		"Berlin, forward, all is skipped": {
			"Europe/Berlin", weeklyWindow("w", "02:00", "03:00"), "2026-03-29 00:00 +0100",
			"Mon 2026-03-30 02:00 +0200 until Mon 2026-03-30 03:00 +0200",
		},
		"Berlin, forward, cron has its full time": {
			"Europe/Berlin", cronWindow("c", "30 2 * * *", 7200), "2026-03-29 00:00 +0100",
			"Sun 2026-03-29 03:00 +0200 until Sun 2026-03-29 05:00 +0200",
		},
		"Berlin, back, a night is an hour longer": {
			"Europe/Berlin", weeklyWindow("w", "22:00", "04:00"), "2026-10-24 12:00 +0200",
			"Sat 2026-10-24 22:00 +0200 until Sun 2026-10-25 04:00 +0100",
		},
		"Berlin, back, opens at the first": {
			"Europe/Berlin", weeklyWindow("w", "02:30", "03:30"), "2026-10-25 00:00 +0200",
			"Sun 2026-10-25 02:30 +0200 until Sun 2026-10-25 03:30 +0100",
		},
		"Berlin, back, closes at the first": {
			"Europe/Berlin", weeklyWindow("w", "02:15", "02:45"), "2026-10-25 00:00 +0200",
			"Sun 2026-10-25 02:15 +0200 until Sun 2026-10-25 02:45 +0200",
		},
		"Berlin, back, opens once": {
			"Europe/Berlin", weeklyWindow("w", "02:15", "02:45"), "2026-10-25 02:15 +0100",
			"Mon 2026-10-26 02:15 +0100 until Mon 2026-10-26 02:45 +0100",
		},
		"Berlin, back, cron has its full time": {
			"Europe/Berlin", cronWindow("c", "30 2 * * *", 7200), "2026-10-25 00:00 +0200",
			"Sun 2026-10-25 02:30 +0200 until Sun 2026-10-25 03:30 +0100",
		},
		"New York, forward": {
			"America/New_York", cronWindow("c", "15 2 8 3 *", 3600), "2026-03-08 00:00 -0500",
			"Sun 2026-03-08 03:00 -0400 until Sun 2026-03-08 04:00 -0400",
		},
		"New York, back": {
			"America/New_York", weeklyWindow("w", "01:30", "02:00"), "2026-11-01 00:00 -0400",
			"Sun 2026-11-01 01:30 -0400 until Sun 2026-11-01 02:00 -0500",
		},
		"Lord Howe, forward by half an hour": {
			"Australia/Lord_Howe", weeklyWindow("w", "02:15", "04:00"), "2026-10-04 00:00 +1030",
			"Sun 2026-10-04 02:30 +1100 until Sun 2026-10-04 04:00 +1100",
		},
		"Lord Howe, back by half an hour": {
			"Australia/Lord_Howe", cronWindow("c", "45 1 * * *", 3600), "2026-04-05 00:00 +1100",
			"Sun 2026-04-05 01:45 +1100 until Sun 2026-04-05 02:15 +1030",
		},
		"Santiago has no midnight": {
			"America/Santiago", weeklyWindow("w", "00:00", "00:00", "Sun"), "2026-09-05 12:00 -0400",
			"Sun 2026-09-06 01:00 -0300 until Mon 2026-09-07 00:00 -0300",
		},
		"Santiago repeats the hour before midnight": {
			"America/Santiago", weeklyWindow("w", "23:30", "00:30", "Sat"), "2026-04-04 12:00 -0300",
			"Sat 2026-04-04 23:30 -0300 until Sun 2026-04-05 00:30 -0400",
		},
		"Beirut has no midnight": {
			"Asia/Beirut", cronWindow("c", "0 0 29 3 *", 3600), "2026-03-28 12:00 +0200",
			"Sun 2026-03-29 01:00 +0300 until Sun 2026-03-29 02:00 +0300",
		},
		"St. John's goes back to the day before": {
			"America/St_Johns", weeklyWindow("w", "23:30", "00:30", "Sat"), "2010-11-06 12:00 -0230",
			"Sat 2010-11-06 23:30 -0230 until Sun 2010-11-07 00:30 -0330",
		},
		"Apia, before the day that did not exist": {
			"Pacific/Apia", weeklyWindow("w", "22:00", "04:00", "Thu"), "2011-12-29 12:00 -1000",
			"Thu 2011-12-29 22:00 -1000 until Sat 2011-12-31 00:00 +1400",
		},
		"Apia, on the day that did not exist": {
			"Pacific/Apia", weeklyWindow("w", "22:00", "04:00", "Fri"), "2011-12-29 12:00 -1000",
			"Sat 2011-12-31 00:00 +1400 until Sat 2011-12-31 04:00 +1400",
		},
		"Apia, cron on the day that did not exist": {
			"Pacific/Apia", cronWindow("c", "0 12 30 12 *", 3600), "2011-12-29 12:00 -1000",
			"Sat 2011-12-31 00:00 +1400 until Sat 2011-12-31 01:00 +1400",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := openings(t, compiled(t, tc.zone, 0, windows(tc.window)), at(t, tc.now), 1)
			if diff := cmp.Diff([]string{tc.want}, got); diff != "" {
				t.Errorf("next opening (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFreezesBegin shows that a freeze whose beginning is skipped begins all the same.
func TestFreezesBegin(t *testing.T) {
	for name, tc := range map[string]struct {
		zone         string
		freeze       v1beta1.PolicyFreeze
		frozen, open string
	}{
		"cron in a gap": {
			"Europe/Berlin", freeze(cronWindow("f", "30 2 29 3 *", 3600)), "2026-03-29 03:00 +0200", "2026-03-29 04:00 +0200",
		},
		"days without midnight": {
			"America/Santiago", dates("f", "2026-09-06", "2026-09-06"), "2026-09-06 01:00 -0300", "2026-09-07 00:00 -0300",
		},
		"until a day before one without midnight": {
			"America/Santiago", dates("f", "2026-09-04", "2026-09-05"), "2026-09-05 23:59 -0400", "2026-09-06 01:00 -0300",
		},
		"days of a year, without midnight": {
			"Asia/Beirut", everyYear("f", "03-29", "03-29"), "2026-03-29 01:00 +0300", "2026-03-30 00:00 +0300",
		},
		"a day with 25 hours": {
			"Europe/Berlin", dates("f", "2026-10-25", "2026-10-25"), "2026-10-25 23:59 +0100", "2026-10-26 00:00 +0100",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := compiled(t, tc.zone, 0, nil, tc.freeze)
			state := c.At(at(t, tc.frozen))
			if state.Reason != v1beta1.AdmissionFrozen || !state.Until.Equal(at(t, tc.open)) {
				t.Errorf("At(%s) = %+v, want a freeze until %s", tc.frozen, state, tc.open)
			}
			if !c.At(at(t, tc.open)).MayStart {
				t.Errorf("At(%s) is still frozen", tc.open)
			}
		})
	}
}
