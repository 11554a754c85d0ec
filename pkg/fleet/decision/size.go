// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"encoding/json"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxLedger is how many bytes the ledger may have as JSON for a start to add to it. etcd takes requests of 1.5 MiB, unless
// it is told otherwise, and --store=cluster stores the JSON as a text, whose quotes are escaped. What is left is for what is
// recorded of nodes that have started, and so that ends can always be recorded.
const maxLedger = 1 << 20

// fullText is what a hold waits for while the ledger has no room.
const fullText = "the server's record of nodes in maintenance is full (1 MiB): there is room when others were given back"

// claim takes room in the ledger for what the hold adds to it, and says whether there is as much. Once there is not, nothing
// more starts: what comes later must not pass by.
func (s *state) claim(h *hold) bool {
	if s.spare == nil {
		spare := maxLedger - size(s.ledger())
		s.spare = &spare
	}
	added := s.adds(h)
	s.full = s.full || *s.spare < added
	if !s.full {
		*s.spare -= added
	}
	h.unrecorded = s.full
	return !s.full
}

// adds is how many bytes the hold adds to the ledger at most when it starts.
func (s *state) adds(h *hold) int {
	if s.entryOf(h.node) != nil {
		return size(s.record(h, nil))
	}
	n := h.node
	e := entry{node: n, LedgerEntry: v1beta1.LedgerEntry{
		Node: n.Name, NodeUID: n.UID, AdmittedTime: s.micro(), Holds: []v1beta1.LedgerHold{s.record(h, nil)},
	}}
	e.record(n)
	added := size(e.LedgerEntry)
	for _, p := range n.policies {
		if p.paced() {
			added += size(v1beta1.LedgerStart{Policy: p.name, Node: n.Name, Time: e.AdmittedTime})
		}
	}
	return added
}

// size is how many bytes something has as JSON, with a comma.
func size(part any) int {
	encoded, err := json.Marshal(part)
	if err != nil {
		return maxLedger // that cannot happen, and would leave no room
	}
	return len(encoded) + 1
}
