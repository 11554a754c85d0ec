// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// updateEntries brings the entries up to date with what has happened to their holds and nodes.
func (s *state) updateEntries() {
	byUID := make(map[types.UID]*hold, len(s.holds))
	for _, h := range s.holds {
		byUID[h.UID] = h
	}
	for _, e := range s.sortedEntries() {
		if e.node != nil {
			e.dropHolds(byUID)
			s.dropUnapproved(e, byUID)
		}
		s.release(e)
	}
}

// dropHolds removes the holds that have ended, and lowers those whose stage was lowered: they have given up what they
// had, and ask anew.
func (e *entry) dropHolds(holds map[types.UID]*hold) {
	e.Holds = slices.DeleteFunc(e.Holds, func(had v1beta1.LedgerHold) bool {
		h := holds[had.UID]
		return h == nil || (!h.strange() && !h.takesOut())
	})
	for i := range e.Holds {
		if h := holds[e.Holds[i].UID]; h.takesOut() {
			e.Holds[i].Stage = lower(e.Holds[i].Stage, wanted(h.NodeMaintenance))
		}
	}
}

// release gives up the entry of a node that is given back, or that does not exist any more. Only the word of the API
// servers counts.
func (s *state) release(e *entry) {
	released := s.facts.Released[e.Node]
	switch {
	case e.node == nil && released:
		delete(s.entries, e.Node)
	case e.node == nil || !e.held():
	case len(e.Holds) > 0:
		e.ReleaseTime = nil
	case released:
		now := s.micro()
		e.GivenBackTime, e.ReleaseTime = &now, nil
	case e.ReleaseTime == nil && s.hasReleaseGates(e):
		now := s.micro()
		e.ReleaseTime = &now
	}
}

func (s *state) hasReleaseGates(e *entry) bool {
	return slices.ContainsFunc(s.policies, func(p *policy) bool {
		return p.spec.Gates != nil && len(p.spec.Gates.Release) > 0 && e.counts(p)
	})
}

// leaving are the nodes of which the API servers are to say whether they were given back, or exist.
func (s *state) leaving() []string {
	var names []string
	for _, e := range s.sortedEntries() {
		if e.node == nil || (e.held() && len(e.Holds) == 0) {
			names = append(names, e.Node)
		}
	}
	return names
}
