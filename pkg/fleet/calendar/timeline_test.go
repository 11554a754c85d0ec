// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cputest"
)

// TestTimelineIsShared makes sure that questions of one hour have one timeline, and that a clock that is set back has the
// answers of before.
func TestTimelineIsShared(t *testing.T) {
	c := compiled(t, "UTC", 0, windows(weeklyWindow("w", "22:00", "23:00")))
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	first := c.Timeline(noon, nil)
	for name, tc := range map[string]struct {
		at   time.Time
		want bool
	}{
		"same hour":   {noon.Add(59 * time.Minute), true},
		"next hour":   {noon.Add(time.Hour), false},
		"hour before": {noon.Add(-time.Minute), false},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.Timeline(tc.at, first)
			if (got == first) != tc.want {
				t.Errorf("it is the same: %t, want %t", got == first, tc.want)
			}
			if next := got.NextStart(tc.at); next.Hour() != 22 || next.Day() != 21 {
				t.Errorf("NextStart() = %s, want 22:00 of this day", next)
			}
		})
	}
	if other := compiled(t, "UTC", 0, nil); other.Timeline(noon, first) == first {
		t.Error("two calendars have one timeline")
	}
}

// TestWorkIsLimited asks calendars that would have to look at millions of times. What they say of now must be right, and
// of the time ahead, as far as they know it.
func TestWorkIsLimited(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 5, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		calendar *Calendar
		state    State
		next     string
	}{
		"chained": {chained(t), State{Reason: v1beta1.AdmissionFrozen, Name: "f1"}, "does not open within 5 days"},
		"worst": {
			worst(t),
			State{Reason: v1beta1.AdmissionWindowClosed, Until: now.Add(time.Minute), Holds: now.Add(time.Minute)},
			"does not open within a day",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got State
			var opens string
			took := cputest.Time(t, func() {
				got, opens = tc.calendar.At(now), tc.calendar.Timeline(now, nil).Opens(now)
			})
			if took > 5*time.Second {
				t.Errorf("it took %s of processor time, want less than 0.1 s", took)
			}
			if got.MayStart || got.Reason != tc.state.Reason || got.Name != tc.state.Name || !got.Until.Equal(tc.state.Until) {
				t.Errorf("At() = %+v, want %+v", got, tc.state)
			}
			if got.Holds.Before(now.Add(time.Minute)) {
				t.Errorf("it holds until %s, want at least a minute", got.Holds)
			}
			if opens != tc.next {
				t.Errorf("Opens() = %q, want %q", opens, tc.next)
			}
		})
	}
}
