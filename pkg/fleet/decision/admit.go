// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// admit admits what may start now: first those that do not ask, then the others in the order of the queue. Each start
// may change for whom room is kept, so it goes on until nothing more starts.
func (s *state) admit() {
	for _, h := range s.holds {
		if !s.asks(h) {
			continue
		}
		h.own = s.ownWaits(h)
		if len(h.own) == 0 && s.free(h) {
			s.start(h)
			continue
		}
		s.waiting = append(s.waiting, h)
	}
	for s.startInOrder() {
		s.waiting = slices.DeleteFunc(s.waiting, func(h *hold) bool { return !s.asks(h) })
	}
}

// startInOrder admits holds in the order of the queue, and says whether any has started.
func (s *state) startInOrder() (started bool) {
	s.check = nil
	for _, p := range s.policies {
		p.promised = p.taken.clone()
	}
	for _, h := range s.waiting {
		h.gated = nil
		s.rankHold(h)
	}
	s.keepRoom()
	slices.SortFunc(s.waiting, compare)
	for i, h := range s.waiting {
		if len(h.own) == 0 && s.try(h) {
			started = true
			s.reorder(s.waiting[i+1:])
		}
	}
	return started
}

// asks says whether the hold asks for more than the ledger grants.
func (s *state) asks(h *hold) bool {
	if h.node == nil || !h.takesOut() {
		return false
	}
	if e := s.entries[h.node.Name]; len(h.node.policies) == 0 && (e == nil || e.node != h.node) {
		return false
	}
	had := s.granted(h)
	return had == nil || stageRank(had.Stage) < stageRank(wanted(h.NodeMaintenance))
}

// free says whether the hold asks nobody: it bypasses the policies, or there are none for its node any more. It waits
// all the same while a former node of that name is still in the ledger.
func (s *state) free(h *hold) bool {
	return (h.Spec.BypassPolicies || len(h.node.policies) == 0) && !s.formerNode(h.node)
}

// formerNode says whether the ledger has an entry of a former node of that name.
func (s *state) formerNode(n *node) bool {
	e := s.entries[n.Name]
	return e != nil && e.node != n
}

// try admits the hold if there is room and its gates pass, and says whether it has done so. While its gates are being
// checked, others must leave it that room.
func (s *state) try(h *hold) bool {
	if s.formerNode(h.node) || !s.hasRoom(h) {
		return false
	}
	gates := gatesOf(h)
	waits, failed := s.gateWaits(gates)
	if len(waits) == 0 {
		s.start(h)
		return true
	}
	h.gated = waits
	s.check = append(s.check, gates...)
	if !failed && s.entryOf(h.node) == nil {
		for _, p := range h.node.policies {
			p.promise(h.node)
		}
	}
	return false
}

// promise counts a node whose gates are being checked.
func (p *policy) promise(n *node) {
	p.promised.start(p, n)
	if p.kept != nil && p.kept.node == n {
		p.kept = nil
	}
}

// hasRoom says whether all policies have room for the node. A node that is in maintenance has it already.
func (s *state) hasRoom(h *hold) bool {
	return s.entryOf(h.node) != nil || !slices.ContainsFunc(h.node.policies, func(p *policy) bool {
		return !p.fits(&p.promised, h.node, p.keptBefore(h))
	})
}

// keptBefore is the node for which the policy keeps room that the hold may not take; nil: none.
func (p *policy) keptBefore(h *hold) *node {
	if p.kept == nil || p.kept.node == h.node || p.kept.rank.priority < h.rank.priority {
		return nil
	}
	return p.kept.node
}

// start admits the hold.
func (s *state) start(h *hold) {
	e := s.entryOf(h.node)
	if e == nil {
		e = s.startNode(h.node)
	}
	e.ReleaseTime = nil
	approved := !h.Spec.BypassPolicies && slices.ContainsFunc(h.node.policies, func(p *policy) bool { return p.spec.Approvals != nil })
	admitted := e.holdOf(h.UID)
	if admitted == nil {
		e.Holds = append(e.Holds, v1beta1.LedgerHold{Name: h.Name, UID: h.UID, Time: s.micro()})
		admitted = &e.Holds[len(e.Holds)-1]
	}
	admitted.Stage = wanted(h.NodeMaintenance)
	if admitted.Approved = admitted.Approved || approved; admitted.Approved {
		admitted.Generation = h.Generation
	}
	admitted.Bypassed = h.Spec.BypassPolicies && len(h.node.policies) > 0
}

// startNode enters the node into the ledger, and counts it.
func (s *state) startNode(n *node) *entry {
	e := s.enter(n, s.micro())
	s.noteStart(n)
	for _, p := range n.policies {
		p.taken.start(p, n)
		p.promise(n)
	}
	for _, d := range n.domains() {
		s.begin(d.key)
	}
	s.begin(n.zone())
	load := s.facts.Pods[n.Name]
	s.need.add(load)
	s.reranks = s.reranks || len(load.Budgets) > 0
	return e
}

// begin notes that a node in maintenance is in the domain.
func (s *state) begin(domain domainKey) {
	if !s.begun[domain] {
		s.begun[domain], s.reranks = true, true
	}
}

// reorder orders the holds that are left after another one has started.
func (s *state) reorder(left []*hold) {
	if !s.reranks {
		return
	}
	s.reranks = false
	changed := false
	for _, h := range left {
		changed = s.rerank(h) || changed
	}
	if changed {
		slices.SortFunc(left, compare)
	}
}
