// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"sort"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// oracleDays is how many days an oracle knows.
const oracleDays = 40

// oracle knows a schedule minute by minute. It is slow, and has nothing of the calendar: it asks a real clock what it
// shows in each minute.
type oracle struct {
	first int64 // in minutes since 1970
	// shown is the latest time, in minutes, that the clock has shown until each minute. It never goes back.
	shown []int64
	// windows and freezes say of each minute whether it is in one.
	windows, freezes []bool
	always           bool
	lastStart        int
	states           []answer
}

// answer is what an oracle says of a minute.
type answer struct {
	mayStart bool
	reason   v1beta1.AdmissionReason
	// change is the next minute that differs, and start the first from this one on in which maintenance may start. Both
	// are the end if there is none.
	change, start int
}

// newOracle returns an oracle for the days around a moment.
func newOracle(zone *time.Location, middle time.Time) *oracle {
	o := &oracle{first: middle.Unix()/60 - oracleDays*24*60/2}
	var latest int64
	for i := range int64(oracleDays * 24 * 60) {
		at := time.Unix((o.first+i)*60, 0).In(zone)
		latest = max(latest, wallMinutes(at.Year(), at.Month(), at.Day(), at.Hour()*60+at.Minute()))
		o.shown = append(o.shown, latest)
	}
	o.windows, o.freezes = make([]bool, len(o.shown)), make([]bool, len(o.shown))
	return o
}

// wallMinutes numbers what clocks show.
func wallMinutes(year int, month time.Month, day, minutes int) int64 {
	return time.Date(year, month, day, 0, minutes, 0, 0, time.UTC).Unix() / 60
}

// minute returns the first minute at which the clock shows a time or a later one.
func (o *oracle) minute(wall int64) int {
	return sort.Search(len(o.shown), func(i int) bool { return o.shown[i] >= wall })
}

// days calls a function for each day that the clock may show.
func (o *oracle) days(each func(year int, month time.Month, day int, weekday time.Weekday)) {
	for wall := o.shown[0] - 24*60; wall <= o.shown[len(o.shown)-1]; wall += 24 * 60 {
		d := time.Unix(wall*60, 0).UTC()
		each(d.Year(), d.Month(), d.Day(), d.Weekday())
	}
}

// mark marks the minutes of an interval.
func mark(minutes []bool, from, until int) {
	for i := max(0, from); i < min(until, len(minutes)); i++ {
		minutes[i] = true
	}
}

// state is what the oracle says of a minute.
func (o *oracle) state(i int) (bool, v1beta1.AdmissionReason) {
	if o.freezes[i] {
		return false, v1beta1.AdmissionFrozen
	}
	for k := i; !o.always && k <= i+o.lastStart; k++ {
		if k < len(o.windows) && !o.windows[k] {
			return false, v1beta1.AdmissionWindowClosed
		}
	}
	return true, ""
}

// decide works out the states of all minutes before the end, and what is next after each.
func (o *oracle) decide(end int) {
	o.states = make([]answer, end+1)
	o.states[end] = answer{change: end, start: end}
	for i := end - 1; i >= 0; i-- {
		a, next := answer{change: i + 1, start: i}, o.states[i+1]
		a.mayStart, a.reason = o.state(i)
		if i+1 < end && a.mayStart == next.mayStart && a.reason == next.reason {
			a.change = next.change
		}
		if !a.mayStart {
			a.start = next.start
		}
		o.states[i] = a
	}
}
