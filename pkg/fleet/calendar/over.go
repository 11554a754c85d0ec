// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import "time"

// Over returns the names of the windows and of the freezes that are over at a moment, and do not come again.
func (c *Calendar) Over(t time.Time) (windows, freezes []string) {
	return c.windows.over(t.Unix()), c.freezes.over(t.Unix())
}

func (u union) over(at int64) []string {
	var names []string
	for _, r := range u {
		if o, ok := r.rule.(once); ok && o.until <= at {
			names = append(names, r.name)
		}
	}
	return names
}
