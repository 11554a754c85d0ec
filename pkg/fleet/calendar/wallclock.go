// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"math"
	"time"
)

// never is later than all moments.
const never = math.MaxInt64

// wallClock says at which moments a clock on the wall shows which times. Moments are seconds since 1970. It is exact
// between the two moments that it was made for.
type wallClock []offsetSpan

// offsetSpan is a time in which the clock is neither put forward nor back.
type offsetSpan struct {
	// from and until are its ends; until is no longer part of it.
	from, until int64
	// offset is how far the clock is ahead of UTC, in seconds.
	offset int64
}

// newWallClock reads the changes of a zone's clock between two moments.
func newWallClock(zone *time.Location, from, until int64) wallClock {
	var clock wallClock
	for start := int64(math.MinInt64); ; {
		at := time.Unix(from, 0).In(zone)
		_, offset := at.Zone()
		_, end := at.ZoneBounds()
		if end.IsZero() || end.Unix() > until {
			return append(clock, offsetSpan{from: start, until: never, offset: int64(offset)})
		}
		from = end.Unix()
		clock = append(clock, offsetSpan{from: start, until: from, offset: int64(offset)})
		start = from
	}
}

// moment returns when the clock shows a time of a day: the first time, if it does so twice, and the first moment after
// the gap, if it does not. A later time of day, or day, never gives an earlier moment.
func (c wallClock) moment(d Day, t TimeOfDay) int64 {
	wall := int64(d)*secondsPerDay + int64(t)*60
	for _, span := range c {
		if at := wall - span.offset; at < span.until {
			return max(at, span.from)
		}
	}
	return never
}

// day returns which day the clock shows at a moment.
func (c wallClock) day(at int64) Day {
	for _, span := range c {
		if at < span.until {
			return Day(floorDays(at + span.offset))
		}
	}
	return Day(floorDays(at))
}
