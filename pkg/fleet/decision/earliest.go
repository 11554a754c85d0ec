// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// forecast is what can be said of when a hold starts.
type forecast struct {
	// from is before when it does not start.
	from time.Time
	// person and gate say that it starts only when a person has done something, or a gate passes.
	person, gate bool
}

// forecast works out before when the hold does not start: as its waits say, and as the schedules of all policies allow.
func (s *state) forecast(h *hold, waits []v1beta1.AdmissionWait) forecast {
	f := forecast{from: s.now}
	for _, wait := range waits {
		switch wait.Reason {
		case v1beta1.AdmissionGateFailed, v1beta1.AdmissionPlanBlocked:
			f.gate = true
		case v1beta1.AdmissionNotBefore:
			f.notBefore(h.Spec.NotBefore.Time)
		case v1beta1.AdmissionQueued, v1beta1.AdmissionTooManyUnavailable, v1beta1.AdmissionPaceLimited,
			v1beta1.AdmissionWindowClosed, v1beta1.AdmissionFrozen:
		default:
			f.person = true
		}
	}
	if h.node == nil || h.Spec.BypassPolicies {
		return f
	}
	for _, full := range h.full {
		if full.policy.hopeless(h.node) {
			f.person = true
			return f
		}
		f.notBefore(s.freeAt(full))
	}
	s.awaitOpening(&f, h.node.policies)
	return f
}

func (f *forecast) notBefore(t time.Time) {
	if t.After(f.from) {
		f.from = t
	}
}

// freeAt is before when a limit without room has none.
func (s *state) freeAt(full fullLimit) time.Time {
	p, b := full.policy, full.block
	free, known := p.free[b]
	if known {
		return free
	}
	switch b.kind {
	case blockPace:
		free = p.nextStart()
	case blockConcurrent:
		free = s.soaksEnd(p, p.taken.concurrent, *p.limits.concurrent)
	case blockDomain:
		free = s.soaksEnd(p, p.taken.domains[b.topology][b.domain], *p.domainLimit(b.topology, b.domain))
	}
	p.free[b] = free
	return free
}

// soaksEnd is the time when so many of the counted nodes may have left that there is room for one more below the limit. Nodes that
// were not given back may leave at any time. Each of the counted nodes is in maintenance, and the limit is not 0.
func (s *state) soaksEnd(p *policy, counted names, limit int) time.Time {
	ends := make([]time.Time, 0, len(counted))
	for name := range counted {
		end := s.now
		if e := s.entries[name]; e != nil && !e.held() {
			if soaked, known := p.soakEnd(e); known {
				end = soaked
			}
		}
		ends = append(ends, end)
	}
	slices.SortFunc(ends, time.Time.Compare)
	return ends[len(ends)-limit]
}

// earliest is the forecast as a status tells it; zero if a person or a gate decides, or if nothing is known.
func (f forecast) earliest(now time.Time) time.Time {
	if f.person || f.gate || !f.from.After(now) {
		return time.Time{}
	}
	return f.from
}
