// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import "time"

// question is what is asked of a calendar at one time.
type question struct {
	*Calendar
	clock wallClock
	// limit is how far ahead the answer is looked for.
	limit int64
}

// ask begins to answer a question about a moment and the time after it.
func (c *Calendar) ask(t time.Time) question {
	at := t.Unix()
	limit := at + horizon*secondsPerDay
	clock := newWallClock(c.zone, at-margin*secondsPerDay, limit+margin*secondsPerDay)
	return question{Calendar: c, clock: clock, limit: limit}
}

// time returns a moment in the zone of the calendar; zero if it is at the limit or after it.
func (q question) time(at int64) time.Time {
	if at >= q.limit {
		return time.Time{}
	}
	return time.Unix(at, 0).In(q.zone)
}

// frozenUntil returns until when nothing may start; the moment itself if there is no freeze.
func (q question) frozenUntil(at int64) int64 {
	return q.freezes.end(q.clock, at, q.limit)
}

// windowUntil returns until when the windows let maintenance start; the moment itself, or one before it, if they do
// not. Windows that overlap or touch are one window, and the last start is before its end.
func (q question) windowUntil(at int64) int64 {
	if len(q.windows) == 0 {
		return never
	}
	end := q.windows.end(q.clock, at, q.limit+q.lastStart)
	return end - q.lastStart
}

// closing returns when maintenance may start no more, of a moment at which it may.
func (q question) closing(at int64) int64 {
	return min(q.windowUntil(at), q.freezes.begin(q.clock, at, q.limit))
}

// nextWindow returns when a window opens, of a moment at which none lets maintenance start.
func (q question) nextWindow(at int64) int64 {
	for {
		closed := q.windows.end(q.clock, at, q.limit)
		at = q.windows.begin(q.clock, closed, q.limit)
		if at == never || q.windowUntil(at) > at {
			return at
		}
	}
}

// maxSteps is how many freezes and windows nextStart looks at. A freeze of all nights of a year takes 800. Only a
// schedule that freezes its own windows every few minutes has more: to look at them all would take 80 ms.
const maxSteps = 1000

// nextStart returns when maintenance may start, from a moment on; never if it may not until the limit.
func (q question) nextStart(at int64) int64 {
	for steps := 0; at < q.limit && steps < maxSteps; steps++ {
		frozen := q.frozenUntil(at)
		switch {
		case frozen > at:
			at = frozen
		case q.windowUntil(at) > at:
			return at
		default:
			at = q.nextWindow(at)
		}
	}
	return never
}
