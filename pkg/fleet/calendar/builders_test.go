// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// at parses a moment as a zone's clock and its offset show it: 2026-03-29 03:00 +0200.
func at(t *testing.T, text string) time.Time {
	t.Helper()
	moment, err := time.Parse("2006-01-02 15:04 -0700", text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

// compiled returns a calendar of what is given.
func compiled(t testing.TB, zone string, lastStart int64, windows []v1beta1.PolicyWindow,
	freezes ...v1beta1.PolicyFreeze,
) *Calendar {
	t.Helper()
	c, err := Compile(&v1beta1.PolicySchedule{
		TimeZone: zone, Windows: windows, LastStartSeconds: lastStart, Freezes: freezes,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func windows(ws ...v1beta1.PolicyWindow) []v1beta1.PolicyWindow { return ws }

func weeklyWindow(name, start, end string, days ...v1beta1.Weekday) v1beta1.PolicyWindow {
	return v1beta1.PolicyWindow{Name: name, Weekly: &v1beta1.WeeklyTime{Days: days, Start: start, End: end}}
}

func cronWindow(name, expr string, seconds int64) v1beta1.PolicyWindow {
	return v1beta1.PolicyWindow{Name: name, Cron: expr, DurationSeconds: &seconds}
}

func onceWindow(name string, from, until time.Time) v1beta1.PolicyWindow {
	return v1beta1.PolicyWindow{Name: name, From: &metav1.Time{Time: from}, Until: &metav1.Time{Time: until}}
}

func freeze(w v1beta1.PolicyWindow) v1beta1.PolicyFreeze {
	return v1beta1.PolicyFreeze{PolicyWindow: w}
}

func dates(name, from, until string) v1beta1.PolicyFreeze {
	f := v1beta1.PolicyFreeze{Dates: &v1beta1.DateRange{From: from, Until: until}}
	f.Name = name
	return f
}

func everyYear(name, from, until string) v1beta1.PolicyFreeze {
	f := v1beta1.PolicyFreeze{Yearly: &v1beta1.YearlyRange{From: from, Until: until}}
	f.Name = name
	return f
}

// openings shows openings in a zone.
func openings(t *testing.T, c *Calendar, now time.Time, n int) []string {
	t.Helper()
	const layout = "Mon 2006-01-02 15:04 -0700"
	shown := []string{}
	for _, o := range c.Openings(now, n) {
		until := "for good"
		if o.Until != nil {
			until = o.Until.In(c.zone).Format(layout)
		}
		shown = append(shown, o.From.In(c.zone).Format(layout)+" until "+until)
	}
	return shown
}
