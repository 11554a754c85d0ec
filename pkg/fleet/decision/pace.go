// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// paced says whether the policy limits how fast nodes follow one another.
func (r *rules) paced() bool {
	pace := r.spec.Pace
	return pace != nil && pace.MaxStarts != nil && pace.PerSeconds != nil && badPace(pace) == nil
}

// period is the time in which starts are counted.
func (r *rules) period() time.Duration { return time.Duration(*r.spec.Pace.PerSeconds) * time.Second }

// readStarts keeps the starts that still count.
func (s *state) readStarts() {
	s.starts = slices.DeleteFunc(s.starts, func(start v1beta1.LedgerStart) bool {
		p := s.byName[start.Policy]
		if p == nil || !p.paced() || s.now.Sub(start.Time.Time) >= p.period() {
			return true
		}
		p.starts = append(p.starts, start.Time.Time)
		s.wake(start.Time.Add(p.period()))
		return false
	})
	for _, p := range s.policies {
		slices.SortFunc(p.starts, time.Time.Compare)
	}
}

// noteStart counts the start of a node.
func (s *state) noteStart(n *node) {
	now := s.micro()
	for _, p := range n.policies {
		if p.paced() {
			s.starts = append(s.starts, v1beta1.LedgerStart{Policy: p.name, Node: n.Name, Time: now})
			p.starts = append(p.starts, now.Time)
			s.wake(now.Add(p.period()))
		}
	}
}

// nextStart is the time when the pace lets a node start, if starts count that keep it from starting now.
func (p *policy) nextStart() time.Time {
	return p.starts[len(p.starts)-int(*p.spec.Pace.MaxStarts)].Add(p.period())
}
