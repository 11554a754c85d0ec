// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package calendar

import (
	"fmt"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Calendar says when a schedule lets maintenance start. It never changes, so anybody may use it at any time. Only
// Compile makes one.
type Calendar struct {
	zone *time.Location
	// windows are the times when maintenance may start. If there are none, it may start at any time.
	windows union
	// lastStart is how many seconds before its windows end maintenance may no longer start.
	lastStart int64
	// freezes are the times when nothing may start.
	freezes union
}

// Compile returns the calendar of a schedule, or says what is wrong with it. Without a schedule, maintenance may start
// at any time.
func Compile(schedule *v1beta1.PolicySchedule) (*Calendar, error) {
	if schedule == nil {
		return &Calendar{zone: time.UTC}, nil
	}
	zone, err := ZoneOrUTC(schedule.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("timeZone %w", err)
	}
	c := &Calendar{zone: zone, lastStart: schedule.LastStartSeconds}
	for _, w := range schedule.Windows {
		c.windows, err = with(c.windows, zone, "window", v1beta1.PolicyFreeze{PolicyWindow: w})
		if err != nil {
			return nil, err
		}
	}
	for _, f := range schedule.Freezes {
		if c.freezes, err = with(c.freezes, zone, "freeze", f); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// with returns the union with one more window or freeze.
func with(u union, zone *time.Location, what string, f v1beta1.PolicyFreeze) (union, error) {
	rule, err := compileRule(zone, f)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", what, f.Name, err)
	}
	return append(u, namedRule{name: f.Name, rule: rule}), nil
}
