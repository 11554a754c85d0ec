// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/utils/ptr"
)

const defaultAgingSeconds = 3600

// keepRoom keeps the next free room in each policy for one hold: of those that have waited for agingSeconds, one that
// waits longest. It is kept in all policies that the hold needs, or in none, so that a hold that needs room in two of
// them is not overtaken forever by holds that need it in one. Holds of a higher priority may still overtake it.
func (s *state) keepRoom() {
	for _, p := range s.policies {
		p.kept = nil
	}
	for _, h := range s.aged() {
		if slices.ContainsFunc(h.node.policies, func(p *policy) bool { return p.kept != nil }) {
			continue
		}
		for _, p := range h.node.policies {
			p.kept = h
		}
		h.rank.kept = true
	}
}

// aged are the holds that have waited long enough for room to be kept for them, in the order in which it is. Holds that
// have waited about as long as one another keep the order of the queue: those of a large roll are created together, and
// all of them get old.
func (s *state) aged() []*hold {
	var old []*hold
	about := time.Duration(0)
	for _, h := range s.waiting {
		if len(h.own) > 0 || s.entryOf(h.node) != nil || !h.mayGetRoom() || s.failsGate(h) {
			continue
		}
		aging := h.node.aging()
		if s.waited(h) < aging {
			s.wake(s.now.Add(aging - s.waited(h)))
			continue
		}
		old = append(old, h)
		if about == 0 || aging < about {
			about = max(aging, time.Second)
		}
	}
	if len(old) == 0 {
		return nil
	}
	longest := time.Duration(0)
	for _, h := range old {
		longest = max(longest, s.waited(h))
	}
	slices.SortFunc(old, func(a, b *hold) int {
		return cmp.Or(
			cmp.Compare(b.rank.priority, a.rank.priority),
			cmp.Compare((longest-s.waited(a))/about, (longest-s.waited(b))/about),
			compareRest(a, b),
		)
	})
	return old
}

// aging is the time after which room is kept for holds of the node: the longest time that its policies say.
func (n *node) aging() time.Duration {
	longest := int64(0)
	for _, p := range n.policies {
		longest = max(longest, ptr.Deref(p.spec.Queue.AgingSeconds, defaultAgingSeconds))
	}
	return time.Duration(longest) * time.Second
}

// waited is how long the hold has waited for room, as far as the facts tell.
func (s *state) waited(h *hold) time.Duration {
	since := h.CreationTimestamp.Time
	if h.Spec.NotBefore != nil && h.Spec.NotBefore.After(since) {
		since = h.Spec.NotBefore.Time
	}
	return s.now.Sub(since)
}

// mayGetRoom says whether maintenance that ends can make room for the hold. Room is not kept for one that waits for
// a limit to be raised, or for broken nodes to be repaired.
func (h *hold) mayGetRoom() bool {
	return !slices.ContainsFunc(h.node.policies, func(p *policy) bool { return p.hopeless(h.node) })
}

// hopeless says whether the policy has no room for the node even if no other node were in maintenance.
func (p *policy) hopeless(n *node) bool {
	return !p.fits(&p.foreign, n, nil)
}

// failsGate says whether a start gate is known not to pass.
func (s *state) failsGate(h *hold) bool {
	_, failed := s.gateWaits(gatesOf(h))
	return failed
}
