// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/calendar"
)

// maxOpenings is how many openings of a schedule are looked at: as many as one that opens twice a day has in a year.
const maxOpenings = 800

// opening is a time in which maintenance may start; until is no part of it.
type opening struct{ from, until time.Time }

// startBefore is the time when a drain starts that has to start at the latest start: lead before it, and in the last opening of
// all schedules that begins before it. If none does, it is the latest start. It is not before the creation of the event.
func startBefore(latest, created time.Time, policies []*v1beta1.MaintenancePolicy) time.Time {
	at := latest.Add(-lead)
	if at.Before(created) {
		at = created
	}
	last, found := opening{}, false
	for _, o := range shared(policies, created, latest) {
		if o.from.Before(latest) {
			last, found = o, true
		}
	}
	switch {
	case !found:
		return latest
	case at.Before(last.from), !at.Before(last.until):
		return last.from
	default:
		return at
	}
}

// closed are the policies that do not let the drain start between now and its latest start, by their schedules: one that
// does not alone, or else all that have a schedule. None if they do, or if there is no such time ahead.
func (s *state) closed() []string {
	latest := timeOf(s.next.LatestStartTime)
	if !latest.After(s.Now) || len(shared(s.Policies, s.Now, latest)) > 0 {
		return nil
	}
	var all []string
	for _, p := range s.Policies {
		switch {
		case p.Spec.Schedule == nil:
		case len(shared([]*v1beta1.MaintenancePolicy{p}, s.Now, latest)) == 0:
			return []string{p.Name}
		default:
			all = append(all, p.Name)
		}
	}
	return all
}

// shared are the times in which the schedules of all policies let maintenance start, from one moment to another.
func shared(policies []*v1beta1.MaintenancePolicy, from, until time.Time) []opening {
	all := []opening{{from: from, until: until}}
	for _, p := range policies {
		if p.Spec.Schedule != nil {
			all = both(all, openingsOf(p.Spec.Schedule, from, until))
		}
	}
	return all
}

// openingsOf are the openings of a schedule until a moment. One that cannot be applied has none: its policy lets nothing
// start.
func openingsOf(schedule *v1beta1.PolicySchedule, from, until time.Time) []opening {
	compiled, err := calendar.Compile(schedule)
	if err != nil {
		return nil
	}
	var all []opening
	for _, o := range compiled.Openings(from, maxOpenings) {
		end := until
		if o.Until != nil {
			end = o.Until.Time
		}
		if !o.From.Time.Before(until) {
			return all
		}
		all = append(all, opening{from: o.From.Time, until: end})
	}
	return all
}

// both is the time that is in openings of both lists, which are sorted.
func both(a, b []opening) []opening {
	var all []opening
	for len(a) > 0 && len(b) > 0 {
		o := opening{from: later(a[0].from, b[0].from), until: a[0].until}
		if b[0].until.Before(o.until) {
			o.until = b[0].until
		}
		if o.from.Before(o.until) {
			all = append(all, o)
		}
		if a[0].until.Before(b[0].until) {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return all
}
