// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

// rule is when a window or a freeze is. It has intervals, from which the beginning is part and the end is not. They
// are never empty, but they may overlap.
type rule interface {
	// endAfter returns the last end of the intervals that contain a moment, or the moment itself if none does. It may
	// return a later one if the intervals go on until then without a break.
	endAfter(clock wallClock, at int64) int64
	// beginAfter returns the first beginning of an interval after a moment, or never if that is after the limit.
	beginAfter(clock wallClock, at, limit int64) int64
}

// namedRule is a window or a freeze.
type namedRule struct {
	name string
	rule
}

// union is the time of all windows, or of all freezes.
type union []namedRule

// end returns until when the union goes on without a break, or the moment itself if it does not contain the moment. It
// looks no further than the limit.
func (u union) end(clock wallClock, at, limit int64) int64 {
	for {
		end := at
		for _, r := range u {
			end = max(end, r.endAfter(clock, at))
		}
		if end == at || end >= limit {
			return end
		}
		at = end
	}
}

// begin returns when the next interval of any rule begins, or never if that is after the limit.
func (u union) begin(clock wallClock, at, limit int64) int64 {
	first := int64(never)
	for _, r := range u {
		first = min(first, r.beginAfter(clock, at, limit))
	}
	return first
}

// name returns the name of the rule that contains a moment, of several the one that does so longest.
func (u union) name(clock wallClock, at int64) string {
	name, last := "", at
	for _, r := range u {
		if end := r.endAfter(clock, at); end > last {
			name, last = r.name, end
		}
	}
	return name
}
