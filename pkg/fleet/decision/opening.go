// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"strings"
	"time"
)

// maxOpenings is how many openings are looked at until all schedules agree: as many as schedules of every day have in more
// than a year.
const maxOpenings = 1000

// sharedSpan is an answer about schedules: for all times from one on until another, when all of them let maintenance
// start.
type sharedSpan struct {
	from, until time.Time
	// opening is zero if they never do, as far as was looked.
	opening time.Time
}

// awaitOpening has the forecast wait until all schedules let maintenance start at the same time. If they never do, a person
// has to change one.
func (s *state) awaitOpening(f *forecast, policies []*policy) {
	if len(policies) == 0 {
		return
	}
	opening := s.sharedOpening(policies, f.from)
	if opening.IsZero() {
		f.person = true
		return
	}
	f.from = opening
}

// sharedOpening is the time when all schedules let maintenance start, from a time on; zero: not within the time that they know, or
// not within maxOpenings. It looks at no time twice, so that many holds with times of their own take no longer.
func (s *state) sharedOpening(policies []*policy, from time.Time) time.Time {
	names := namesOf(policies)
	for _, known := range s.shared[names] {
		if !from.Before(known.from) && !from.After(known.until) {
			return known.opening
		}
	}
	until, agree := agreeFrom(policies, from)
	answer := sharedSpan{from: from, until: until}
	if agree {
		answer.opening = until
	}
	s.shared[names] = append(s.shared[names], answer)
	return answer.opening
}

func namesOf(policies []*policy) string {
	all := make([]string, len(policies))
	for i, p := range policies {
		all[i] = p.name
	}
	return strings.Join(all, ",")
}

// agreeFrom is the time when all schedules let maintenance start, from a time on, or until when they do not, as far as was looked.
func agreeFrom(policies []*policy, from time.Time) (at time.Time, agree bool) {
	agreed := 0
	for i := range maxOpenings {
		next := policies[i%len(policies)].ahead.NextStart(from)
		switch {
		case next.IsZero():
			return from, false
		case next.Equal(from):
			agreed++
		default:
			agreed, from = 1, next
		}
		if agreed == len(policies) {
			return from, true
		}
	}
	return from, false
}
