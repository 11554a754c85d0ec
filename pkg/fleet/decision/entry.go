// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// entry is an entry of the new ledger.
type entry struct {
	v1beta1.LedgerEntry
	// node is nil if the node does not exist, or another one has its name now.
	node *node
}

// holdOf is what the entry says of a hold; nil: nothing.
func (e *entry) holdOf(uid types.UID) *v1beta1.LedgerHold {
	for i := range e.Holds {
		if e.Holds[i].UID == uid {
			return &e.Holds[i]
		}
	}
	return nil
}

// recorded is what the entry says of a policy; nil: the policy did not select the node when it was admitted.
func (e *entry) recorded(policy string) *v1beta1.LedgerPolicy {
	for i := range e.Policies {
		if e.Policies[i].Name == policy {
			return &e.Policies[i]
		}
	}
	return nil
}

// counts says whether the entry counts for the policy: it selects the node now, or did when the node was admitted.
func (e *entry) counts(p *policy) bool {
	return e.recorded(p.name) != nil || (e.node != nil && slices.Contains(e.node.policies, p))
}

// held says whether the node is in maintenance. A node that was given back soaks at most.
func (e *entry) held() bool { return e.GivenBackTime == nil }

// entryOf is the entry of a node that is in maintenance; nil: none is, or it is one of a former node of that name.
func (s *state) entryOf(n *node) *entry {
	if e := s.entries[n.Name]; e != nil && e.node == n && e.held() {
		return e
	}
	return nil
}

// admitted is what the ledger says of a hold; nil: nothing.
func (s *state) admitted(h *hold) *v1beta1.LedgerHold {
	e := s.entries[h.Spec.NodeName]
	if e == nil {
		return nil
	}
	return e.holdOf(h.UID)
}

// granted is what the ledger grants a hold of a node that exists; nil: nothing.
func (s *state) granted(h *hold) *v1beta1.LedgerHold {
	e := s.entryOf(h.node)
	if e == nil {
		return nil
	}
	return e.holdOf(h.UID)
}

// record brings up to date for which policies the entry counts. Those that select the node no more stay.
func (e *entry) record(n *node) {
	for _, p := range n.policies {
		now := v1beta1.LedgerPolicy{Name: p.name, Generation: p.generation}
		for _, topology := range p.spec.Limits.Topology {
			now.Domains = append(now.Domains, v1beta1.LedgerDomain{Key: topology.Key, Value: n.Labels[topology.Key]})
		}
		if before := e.recorded(p.name); before != nil {
			*before = now
			continue
		}
		e.Policies = append(e.Policies, now)
	}
}

// enter has the node enter the ledger, or start again if it soaks. It then goes on to count for the policies for which it
// still soaks, even if they do not select it any more.
func (s *state) enter(n *node, at metav1.MicroTime) *entry {
	e := s.entries[n.Name]
	if e == nil {
		e = &entry{node: n, LedgerEntry: v1beta1.LedgerEntry{Node: n.Name, NodeUID: n.UID}}
		s.entries[n.Name] = e
	}
	e.Policies = slices.DeleteFunc(e.Policies, func(had v1beta1.LedgerPolicy) bool {
		p := s.byName[had.Name]
		return p == nil || p.soaked(e, s.now)
	})
	e.AdmittedTime, e.GivenBackTime, e.ReleaseTime = at, nil, nil
	e.record(n)
	return e
}
