// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/calendar"
)

// timeWindow asks what time it is.
type timeWindow struct{ window *calendar.Calendar }

func newTimeWindow(c *v1beta1.TimeWindowCheck) (check, error) {
	window, err := calendar.CompileWindow(c)
	if err != nil {
		return nil, err
	}
	return timeWindow{window}, nil
}

func (c timeWindow) ask(q question) CheckResult {
	open, until := c.at(q.Now)
	var answer CheckResult
	switch {
	case until.IsZero() && open:
		answer = is(true, "the window is always open")
	case until.IsZero():
		answer = is(false, "the window does not open within two years")
	case open:
		answer = is(true, "the window is open until %s", until.Format(weekdayMoment))
	default:
		answer = is(false, "the window opens %s", until.Format(weekdayMoment))
	}
	answer.Again = until
	return answer
}

// weekdayMoment is a time in the zone of a window.
const weekdayMoment = "Mon 2006-01-02 15:04 MST"

// at says whether the window is open, and until when that is so. A calendar looks a year ahead. A window that begins on
// Mondays, many of which are excluded, may need another look.
func (c timeWindow) at(now time.Time) (open bool, until time.Time) {
	state := c.window.At(now)
	if !state.Until.IsZero() {
		return state.MayStart, state.Until
	}
	later := c.window.At(now.Add(calendar.Horizon))
	if later.MayStart != state.MayStart {
		return state.MayStart, now.Add(calendar.Horizon)
	}
	return state.MayStart, later.Until
}
