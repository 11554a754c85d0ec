// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import "time"

// soakPatience is how long a node may be not Ready while it soaks before its maintenance has failed.
const soakPatience = 300 * time.Second

// soak is how long a node must be Ready after its give-back.
func (r *rules) soak() time.Duration {
	if r.spec.Pace == nil {
		return 0
	}
	return time.Duration(r.spec.Pace.SoakSeconds) * time.Second
}

// steadySince is the time since which the node of the entry is as Ready as it is now, but not before its give-back.
func (e *entry) steadySince() time.Time {
	if e.node.since.After(e.GivenBackTime.Time) {
		return e.node.since
	}
	return e.GivenBackTime.Time
}

// soaked says whether the entry counts for the policy no more, although others may still count it.
func (p *policy) soaked(e *entry, now time.Time) bool {
	if e.held() {
		return false
	}
	if p.soak() == 0 {
		return true
	}
	end, known := p.soakEnd(e)
	return known && !now.Before(end)
}

// soakEnd is the time when the entry, whose node was given back, counts for the policy no more, if its node stays Ready.
func (p *policy) soakEnd(e *entry) (end time.Time, known bool) {
	if e.node == nil || !e.node.ready {
		return time.Time{}, false
	}
	return e.steadySince().Add(p.soak()), true
}

// endSoaks removes the entries of nodes that have soaked for all policies.
func (s *state) endSoaks() {
	for _, e := range s.sortedEntries() {
		if e.held() {
			continue
		}
		if e.node == nil {
			continue // the API servers have yet to say that it is gone
		}
		if !s.soaks(e) {
			delete(s.entries, e.Node)
		}
	}
}

// soaks says whether the entry, whose node was given back, still counts for a policy.
func (s *state) soaks(e *entry) bool {
	soaks := false
	for _, p := range s.countedBy(e) {
		if p.soaked(e, s.now) {
			continue
		}
		soaks = true
		if end, known := p.soakEnd(e); known {
			s.wake(end)
		}
	}
	return soaks
}

// notReadyWhileSoaking says since when a soaking node has been not Ready; zero if it does not soak or is Ready.
func (e *entry) notReadyWhileSoaking() time.Time {
	if e.held() || e.node == nil || e.node.ready {
		return time.Time{}
	}
	return e.steadySince()
}

// failedSoak is the time when the node of the entry has failed its soak; zero: never, as it is.
func (p *policy) failedSoak(e *entry) time.Time {
	since := e.notReadyWhileSoaking()
	if since.IsZero() || p.soak() == 0 {
		return time.Time{}
	}
	return since.Add(soakPatience)
}
