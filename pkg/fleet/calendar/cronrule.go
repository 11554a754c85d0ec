// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import "sort"

// cronRule is a time that begins whenever a cron expression matches.
type cronRule struct {
	cron Cron
	// starts are the times of day at which it begins.
	starts []TimeOfDay
	// chains has, for each of the starts, the last one up to which each begins before the one before it has ended.
	chains []TimeOfDay
	// length is how long each interval is, in seconds.
	length int64
}

// newCronRule returns the rule for intervals of a length in seconds.
func newCronRule(cron Cron, length int64) cronRule {
	starts := cron.starts()
	chains := make([]TimeOfDay, len(starts))
	for i := len(starts) - 1; i >= 0; i-- {
		chains[i] = starts[i]
		if i+1 < len(starts) && int64(starts[i+1]-starts[i])*60 <= length {
			chains[i] = chains[i+1]
		}
	}
	return cronRule{cron: cron, starts: starts, chains: chains, length: length}
}

// after returns the number of the first start of a day that is after a moment.
func (r cronRule) after(clock wallClock, d Day, at int64) int {
	return sort.Search(len(r.starts), func(i int) bool { return clock.moment(d, r.starts[i]) > at })
}

// endAfter looks at the last start before the moment only, since all intervals have the same length.
func (r cronRule) endAfter(clock wallClock, at int64) int64 {
	today := clock.day(at)
	for d := today + 1; d >= today-Day(r.length/secondsPerDay)-2; d-- {
		if !r.cron.matchesDay(d) {
			continue
		}
		if i := r.after(clock, d, at); i > 0 {
			return max(at, r.chainEnd(clock, d, i-1, at))
		}
	}
	return at
}

// chainEnd returns the end of the interval that a start begins, or of the chain of intervals that follow it. A clock
// that is put back breaks a chain.
func (r cronRule) chainEnd(clock wallClock, d Day, i int, at int64) int64 {
	first, last := clock.moment(d, r.starts[i]), clock.moment(d, r.chains[i])
	broken := last-first > int64(r.chains[i]-r.starts[i])*60
	if broken || first+r.length <= at {
		return first + r.length
	}
	return last + r.length
}

func (r cronRule) beginAfter(clock wallClock, at, limit int64) int64 {
	for d := clock.day(at) - 1; clock.moment(d, 0) <= limit; d++ {
		if !r.cron.matchesDay(d) {
			continue
		}
		if i := r.after(clock, d, at); i < len(r.starts) {
			return within(clock.moment(d, r.starts[i]), limit)
		}
	}
	return never
}

// within returns a moment, or never if it is after the limit.
func within(at, limit int64) int64 {
	if at > limit {
		return never
	}
	return at
}
