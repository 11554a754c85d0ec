// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

// once is one interval.
type once struct {
	from, until int64
}

func (o once) endAfter(_ wallClock, at int64) int64 {
	if o.from <= at && at < o.until {
		return o.until
	}
	return at
}

func (o once) beginAfter(_ wallClock, at, limit int64) int64 {
	if o.from > at && o.from <= limit && o.from < o.until {
		return o.from
	}
	return never
}
