// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// stopPolicies forgets stops that count no more, and stops policies.
func (s *state) stopPolicies() {
	s.stops = slices.DeleteFunc(s.stops, func(stop v1beta1.LedgerStop) bool { return s.lifted(stop) })
	for i := range s.stops {
		s.byName[s.stops[i].Policy].stop = &s.stops[i]
	}
	for _, p := range s.policies {
		s.stop(p)
	}
}

// lifted says whether a stop counts no more: a person has set ignoreBefore since, or there is no automatic stop any
// more.
func (s *state) lifted(stop v1beta1.LedgerStop) bool {
	p := s.byName[stop.Policy]
	if p == nil || p.spec.AutoStop == nil {
		return true
	}
	ignore := p.spec.AutoStop.IgnoreBefore
	return ignore != nil && !stop.Time.After(ignore.Time)
}

// stop stops the policy if maintenance of enough nodes has failed.
func (s *state) stop(p *policy) {
	if p.spec.AutoStop == nil || p.stop != nil || len(s.failedNodes(p)) < int(p.spec.AutoStop.Failures) {
		return
	}
	s.stops = append(s.stops, v1beta1.LedgerStop{Policy: p.name, Time: s.second(s.now)})
	p.stop = s.stops[len(s.stops)-1].DeepCopy()
}

// failedNodes are the nodes whose failures count.
func (s *state) failedNodes(p *policy) names {
	failed := names{}
	for _, f := range s.failures {
		if p.spec.AutoStop != nil && s.counts(p, f) {
			failed[f.Node] = true
		}
	}
	return failed
}
