// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// changesOfClocks are days on which clocks do strange things.
var changesOfClocks = []struct{ zone, day string }{
	{"Europe/Berlin", "2026-03-29"},
	{"Europe/Berlin", "2026-10-25"},
	{"America/New_York", "2026-03-08"},
	{"America/New_York", "2026-11-01"},
	{"Australia/Lord_Howe", "2026-04-05"}, // 30 minutes
	{"Australia/Lord_Howe", "2026-10-04"},
	{"America/Santiago", "2026-04-05"}, // at midnight
	{"America/Santiago", "2026-09-06"},
	{"Asia/Beirut", "2026-03-29"}, // at midnight
	{"Asia/Beirut", "2026-10-25"},
	{"America/Havana", "2026-11-01"},   // from 1:00 to midnight
	{"America/St_Johns", "2010-11-07"}, // from 0:01 to 23:01 of the day before
	{"Pacific/Apia", "2011-12-30"},     // a day that does not exist
	{"Antarctica/Troll", "2026-03-29"}, // two hours
	{"Africa/Casablanca", "2026-02-15"},
	{"Asia/Kathmandu", "2026-01-01"}, // never, but with an odd offset
	{"UTC", "2028-02-29"},
}

// scenario is a random schedule with an oracle that knows it.
type scenario struct {
	*rand.Rand
	*oracle
	day      time.Time
	schedule v1beta1.PolicySchedule
}

func newScenario(seed uint64) *scenario {
	r := rand.New(rand.NewPCG(seed, 0))
	change := changesOfClocks[r.IntN(len(changesOfClocks))]
	day, _ := time.Parse(time.DateOnly, change.day)
	zone, _ := time.LoadLocation(change.zone)
	s := &scenario{Rand: r, oracle: newOracle(zone, day), day: day}
	s.schedule.TimeZone = change.zone
	for i := range r.IntN(4) {
		s.schedule.Windows = append(s.schedule.Windows, s.window(fmt.Sprint("w", i), s.windows))
	}
	for i := range r.IntN(3) {
		s.schedule.Freezes = append(s.schedule.Freezes, s.freeze(fmt.Sprint("f", i)))
	}
	s.always = len(s.schedule.Windows) == 0
	if r.IntN(2) == 0 {
		s.lastStart = r.IntN(90)
		s.schedule.LastStartSeconds = int64(s.lastStart) * 60
	}
	return s
}

// window adds a random window, and marks its minutes.
func (s *scenario) window(name string, minutes []bool) v1beta1.PolicyWindow {
	switch s.IntN(5) {
	case 0, 1:
		return v1beta1.PolicyWindow{Name: name, Weekly: s.weekly(minutes)}
	case 2, 3:
		expr, length := s.cron(minutes)
		seconds := int64(length) * 60
		return v1beta1.PolicyWindow{Name: name, Cron: expr, DurationSeconds: &seconds}
	default:
		from := s.IntN(len(minutes))
		until := from + 1 + s.IntN(5000)
		mark(minutes, from, until)
		return v1beta1.PolicyWindow{Name: name, From: s.timeOf(from), Until: s.timeOf(until)}
	}
}

func (s *scenario) timeOf(minute int) *metav1.Time {
	return &metav1.Time{Time: time.Unix((s.first+int64(minute))*60, 0)}
}

// freeze adds a random freeze, and marks its minutes.
func (s *scenario) freeze(name string) v1beta1.PolicyFreeze {
	from := s.day.AddDate(0, 0, s.IntN(30)-15)
	until := from.AddDate(0, 0, s.IntN(4))
	f := v1beta1.PolicyFreeze{PolicyWindow: v1beta1.PolicyWindow{Name: name}}
	switch s.IntN(4) {
	case 0:
		f.Dates = &v1beta1.DateRange{From: from.Format(time.DateOnly), Until: until.Format(time.DateOnly)}
	case 1:
		f.Yearly = &v1beta1.YearlyRange{From: from.Format("01-02"), Until: until.Format("01-02")}
	default:
		f.PolicyWindow = s.window(name, s.freezes)
		return f
	}
	begin := wallMinutes(from.Year(), from.Month(), from.Day(), 0)
	end := wallMinutes(until.Year(), until.Month(), until.Day()+1, 0)
	mark(s.freezes, s.minute(begin), s.minute(end))
	return f
}

// timeOfDay is often near an hour at which clocks change.
func (s *scenario) timeOfDay() int {
	return []int{0, 15, 30, 60, 90, 120, 135, 150, 180, 210, 22 * 60, 23 * 60, 23*60 + 30, s.IntN(1440)}[s.IntN(14)]
}

func (s *scenario) weekly(minutes []bool) *v1beta1.WeeklyTime {
	start, end := s.timeOfDay(), s.timeOfDay()
	w := &v1beta1.WeeklyTime{Start: clock(start), End: clock(end)}
	names := []v1beta1.Weekday{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}
	for _, name := range names {
		if s.IntN(2) == 0 {
			w.Days = append(w.Days, name)
		}
	}
	if end <= start {
		end += 24 * 60
	}
	s.days(func(year int, month time.Month, day int, weekday time.Weekday) {
		if len(w.Days) == 0 || slices.Contains(w.Days, names[weekday]) {
			begin, end := wallMinutes(year, month, day, start), wallMinutes(year, month, day, end)
			mark(minutes, s.minute(begin), s.minute(end))
		}
	})
	return w
}

func clock(minutes int) string {
	return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
}

// cron returns a random expression and how many minutes its windows are open.
func (s *scenario) cron(minutes []bool) (string, int) {
	atMinutes, atHours := s.values(0, 59), s.values(0, 23)
	days, months, weekdays := s.values(1, 31), s.values(1, 12), s.values(0, 6)
	length := 5 + []int{0, s.IntN(10), s.IntN(300), s.IntN(7*24*60 - 4)}[s.IntN(4)]
	s.days(func(year int, month time.Month, day int, weekday time.Weekday) {
		byDay, byWeekday := days.has(day), weekdays.has(int(weekday))
		either := !days.star() && !weekdays.star() && (byDay || byWeekday)
		if !months.has(int(month)) || (!either && (!byDay || !byWeekday)) {
			return
		}
		for m := range 24 * 60 {
			if atHours.has(m/60) && atMinutes.has(m%60) {
				from := s.minute(wallMinutes(year, month, day, m))
				mark(minutes, from, from+length)
			}
		}
	})
	return strings.Join([]string{
		atMinutes.String(), atHours.String(), days.String(), months.String(), weekdays.String(),
	}, " "), length
}

// values are those of a field; none is a star.
type values []int

func (s *scenario) values(low, high int) values {
	var vs values
	if s.IntN(2) == 0 {
		return vs
	}
	for range 1 + s.IntN(6) {
		vs = append(vs, low+s.IntN(high-low+1))
	}
	return vs
}

func (v values) star() bool     { return len(v) == 0 }
func (v values) has(n int) bool { return v.star() || slices.Contains(v, n) }
func (v values) String() string {
	if v.star() {
		return "*"
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint([]int(v)), "[]"), " ", ",")
}

// TestRandomSchedules compares calendars with oracles.
func TestRandomSchedules(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			compare(t, newScenario(seed))
		})
	}
}

// compare asks calendar and oracle the same about many minutes. What happened more than a week before the oracle's
// first minute is not known to it, and nothing after its last one: some of both is left out.
func compare(t *testing.T, s *scenario) {
	c, err := Compile(&s.schedule)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = 9 * 24 * 60, (oracleDays - 1) * 24 * 60
	s.decide(end)
	timeline := c.Timeline(s.timeOf(begin).Time, nil)
	for _, i := range s.interesting(begin, end) {
		at, want := s.timeOf(i).Time, s.states[i]
		got := c.At(at)
		if got.MayStart != want.mayStart || got.Reason != want.reason || s.differs(got.Until, want.change, end) {
			t.Fatalf("At(%s) = %+v, want %+v (%s) of\n%s", at, got, want, s.timeOf(want.change), s)
		}
		for what, next := range map[string]time.Time{"NextStart": c.NextStart(at), "Timeline.NextStart": timeline.NextStart(at)} {
			if s.differs(next, want.start, end) {
				t.Fatalf("%s(%s) = %s, want %s of\n%s", what, at, next, s.timeOf(want.start), s)
			}
		}
	}
}

// String shows the schedule.
func (s *scenario) String() string {
	text, _ := json.MarshalIndent(s.schedule, "", "  ")
	return string(text)
}

// differs says whether a time is not a minute. The end stands for all times after it.
func (s *scenario) differs(got time.Time, want, end int) bool {
	if want == end {
		return !got.IsZero() && got.Before(s.timeOf(end).Time)
	}
	return !got.Equal(s.timeOf(want).Time)
}

// interesting returns some minutes, with those before and after a change.
func (s *scenario) interesting(begin, end int) []int {
	var minutes []int
	for range 40 {
		minutes = append(minutes, begin+s.IntN(end-begin))
	}
	for i := begin + 1; i < end && len(minutes) < 100; i++ {
		if s.states[i-1].change == i && s.IntN(3) == 0 {
			minutes = append(minutes, i-1, i)
		}
	}
	return minutes
}
