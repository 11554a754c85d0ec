// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

// rule is the time when a window or a freeze is. It has intervals, from which the beginning is part and the end is not. They
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
