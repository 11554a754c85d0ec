// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import "time"

// NextDay returns the first moment of the next day that a clock of the zone shows after a moment. A day can have 23 or 25
// hours, and can begin at 01:00. Clocks that were put back over midnight have shown the next day already: then it is the one
// after it.
func NextDay(zone *time.Location, at time.Time) time.Time {
	seconds := at.Unix()
	clock := newWallClock(zone, seconds-2*secondsPerDay, seconds+4*secondsPerDay)
	day := clock.day(seconds) + 1
	for clock.moment(day, 0) <= seconds {
		day++
	}
	return time.Unix(clock.moment(day, 0), 0).In(zone)
}
