// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"cmp"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// deadlineNear is how long before its deadline a hold comes before those without one. A far deadline must not: anybody
// may set one, and the order would be that of who asks for more.
const deadlineNear = 24 * time.Hour

// rank is what the order of the queue follows from. Among the holds of one policy, one with a lower rank starts first.
type rank struct {
	priority int32
	// kept says that the next free room is kept for the hold.
	kept bool
	// deadline is the time when it should have started, if that is near or over; zero: it makes no difference yet.
	deadline time.Time
	// domains are those of its node.
	domains []domainRank
	// coupled is how many pods its drain would have to wait with for nodes that are drained already.
	coupled int
	// pods is how many pods its drain would evict.
	pods int
}

// domainRank has a domain that was begun come before one that was not, and then the domains in the order of their
// names, so that one is finished before the next.
type domainRank struct {
	key   domainKey
	begun bool
}

// domainKey is a domain. The policy is empty for zones that no policy limits.
type domainKey struct{ policy, key, value string }

// compare orders holds by when they are to start.
func compare(a, b *hold) int {
	return cmp.Or(
		cmp.Compare(b.rank.priority, a.rank.priority),
		falseFirst(!a.rank.kept, !b.rank.kept),
		compareRest(a, b),
	)
}

// compareRest is compare for holds of one priority, without regard to whom room is kept for.
func compareRest(a, b *hold) int {
	if byDeadline := compareDeadlines(a.rank.deadline, b.rank.deadline); byDeadline != 0 {
		return byDeadline
	}
	if byDomain := slices.CompareFunc(a.rank.domains, b.rank.domains, compareDomains); byDomain != 0 {
		return byDomain
	}
	return cmp.Or(
		cmp.Compare(a.rank.coupled, b.rank.coupled),
		cmp.Compare(a.rank.pods, b.rank.pods),
		compareAge(a, b),
	)
}

func compareAge(a, b *hold) int {
	return cmp.Or(
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		cmp.Compare(a.Spec.NodeName, b.Spec.NodeName),
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.UID, b.UID),
	)
}

func compareDeadlines(a, b time.Time) int {
	if a.IsZero() || b.IsZero() {
		return falseFirst(a.IsZero(), b.IsZero())
	}
	return a.Compare(b)
}

func compareDomains(a, b domainRank) int {
	return cmp.Or(
		falseFirst(!a.begun, !b.begun),
		cmp.Compare(a.key.policy, b.key.policy), cmp.Compare(a.key.key, b.key.key), cmp.Compare(a.key.value, b.key.value),
	)
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// rankHold works out the rank of a hold from what has started so far.
func (s *state) rankHold(h *hold) {
	h.rank = rank{priority: h.Spec.Priority, pods: math.MaxInt}
	if deadline := h.Spec.StartDeadline; deadline != nil && deadline.Sub(s.now) <= deadlineNear {
		h.rank.deadline = deadline.Time
	}
	if h.node == nil {
		return
	}
	h.rank.domains = h.node.domains()
	if load, known := s.facts.Pods[h.node.Name]; known {
		h.rank.pods = load.Evictable
	}
	s.rerank(h)
}

// rerank brings the rank of a hold up to date after another one has started, and says whether it changed.
func (s *state) rerank(h *hold) (changed bool) {
	for i := range h.rank.domains {
		d := &h.rank.domains[i]
		if begun := s.begun[d.key]; begun != d.begun {
			d.begun, changed = begun, true
		}
	}
	if coupled := s.need.coupled(s.facts.Pods[h.Spec.NodeName]); coupled != h.rank.coupled {
		h.rank.coupled, changed = coupled, true
	}
	return changed
}

// domains are the domains of the node that the policies limit, or else its zone.
func (n *node) domains() []domainRank {
	var ranks []domainRank
	for _, p := range n.policies {
		for _, topology := range p.limits.topology {
			ranks = append(ranks, domainRank{key: domainKey{p.name, topology.key, n.Labels[topology.key]}})
		}
	}
	if len(ranks) == 0 {
		ranks = []domainRank{{key: n.zone()}}
	}
	return ranks
}

// zone is the zone of the node.
func (n *node) zone() domainKey {
	return domainKey{key: corev1.LabelTopologyZone, value: n.Labels[corev1.LabelTopologyZone]}
}

// selectedBy says whether the policy selects the node, or might.
func (n *node) selectedBy(p *policy) bool { return slices.Contains(n.policies, p) }
