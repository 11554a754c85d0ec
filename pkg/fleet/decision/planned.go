// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"
	"time"

	"k8s.io/utils/ptr"
)

// plannedAhead is how long before its earliest start a node is marked.
const plannedAhead = 24 * time.Hour

// plan says whether the node of a hold that waits is to be marked as one that may start soon. Nodes for which a person
// has to do something first are not.
func (s *state) plan(h *hold, f forecast) bool {
	if h.node == nil || len(h.node.policies) == 0 || s.entryOf(h.node) != nil || f.person {
		return false
	}
	if slices.ContainsFunc(h.node.policies, func(p *policy) bool { return !ptr.Deref(p.spec.Queue.MarkWaiting, true) }) {
		return false
	}
	s.wake(f.from.Add(-plannedAhead))
	return f.from.Sub(s.now) <= plannedAhead
}
