// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import "time"

const (
	// workAhead is how many times a question about the time ahead may ask a window or a freeze. Each time takes less than
	// a microsecond. To look over a year whose nights are all frozen takes 1,000 for each window and freeze.
	workAhead = 100_000
	// workOfNow is that for a question about one moment, and how long it lasts.
	workOfNow = 20_000
	// workLeft is how much more a step may take that was begun in time. It is enough to say of a moment for sure
	// whether maintenance may start.
	workLeft = 1_000
)

// question is what is asked of a calendar at one time, and from then on.
type question struct {
	*Calendar
	clock wallClock
	// limit is how far ahead the answer is looked for.
	limit int64
	// work is how many more times a window or a freeze may be asked.
	work             int
	windows, freezes walk
}

// ask begins to answer a question about a moment and the time after it.
func (c *Calendar) ask(t time.Time, work int) *question {
	at := t.Unix()
	limit := at + horizon*secondsPerDay
	clock := newWallClock(c.zone, at-margin*secondsPerDay, limit+margin*secondsPerDay)
	q := &question{Calendar: c, clock: clock, limit: limit, work: work}
	q.windows, q.freezes = newWalk(q, c.windows), newWalk(q, c.freezes)
	return q
}

// tired says that no new step is to be begun, cut that the last one may have been cut short.
func (q *question) tired() bool { return q.work <= 0 }
func (q *question) cut() bool   { return q.work <= -workLeft }

// time returns a moment in the zone of the calendar; zero if it is at the limit or after it.
func (q *question) time(at int64) time.Time {
	if at >= q.limit {
		return time.Time{}
	}
	return time.Unix(at, 0).In(q.zone)
}

// state is a state that lasts until a moment, as far as was looked.
func (q *question) state(state State, until int64) State {
	state.Holds = q.time(until)
	if !q.tired() {
		state.Until = state.Holds
	}
	return state
}

// frozenUntil returns until when nothing may start; the moment itself if there is no freeze.
func (q *question) frozenUntil(at int64) int64 {
	return q.freezes.end(at, q.limit)
}

// inWindow says whether the windows let maintenance start at a moment.
func (q *question) inWindow(at int64) bool { return q.windowUntil(at, at+1) > at }

// windowUntil returns until when the windows let maintenance start; the moment itself, or one before it, if they do
// not. Windows that overlap or touch are one window, and the last start is before its end. It looks no further than the
// limit.
func (q *question) windowUntil(at, limit int64) int64 {
	if len(q.windows.union) == 0 {
		return never
	}
	return q.windows.end(at, limit+q.lastStart) - q.lastStart
}

// closing returns when maintenance may start no more, of a moment at which it may.
func (q *question) closing(at int64) int64 {
	frozen := q.freezes.begin(at)
	return min(q.windowUntil(at, min(frozen, q.limit)), frozen)
}

// nextWindow returns when a window opens, of a moment at which none lets maintenance start. If that takes too much work,
// it returns until when none does.
func (q *question) nextWindow(at int64) int64 {
	for {
		closed := q.windows.end(at, q.limit)
		at = q.windows.begin(closed)
		if at == never || q.tired() || q.inWindow(at) {
			return at
		}
	}
}

// nextStart returns when maintenance may start, from a moment on. If it may not until the limit, or if that takes too
// much work to find, it returns until when it may not.
func (q *question) nextStart(at int64) (start int64, found bool) {
	for at < q.limit && !q.tired() {
		frozen := q.frozenUntil(at)
		switch {
		case frozen > at:
			at = frozen
		case q.inWindow(at):
			return at, true
		default:
			at = q.nextWindow(at)
		}
	}
	return at, false
}
