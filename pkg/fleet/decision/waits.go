// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"cmp"
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxWaits is how many waits a status lists.
const maxWaits = 20

// waits are what a hold waits for, sorted by policy.
func (s *state) waits(h *hold) []v1beta1.AdmissionWait {
	if h.node == nil {
		return []v1beta1.AdmissionWait{{Reason: v1beta1.AdmissionNodeNotFound, Message: "node " + h.Spec.NodeName + " does not exist"}}
	}
	waits := slices.Clone(h.own)
	if s.entryOf(h.node) == nil && !h.Spec.BypassPolicies {
		for _, p := range h.node.policies {
			waits = append(waits, s.roomWaits(p, h)...)
		}
	}
	waits = append(waits, h.gated...)
	if s.formerNode(h.node) {
		waits = append(waits, v1beta1.AdmissionWait{
			Reason: v1beta1.AdmissionQueued, Message: "the former node " + h.node.Name + " is still counted",
		})
	}
	if h.unrecorded {
		waits = append(waits, v1beta1.AdmissionWait{Reason: v1beta1.AdmissionQueued, Message: fullText})
	}
	slices.SortStableFunc(waits, func(a, b v1beta1.AdmissionWait) int { return cmp.Compare(a.Policy, b.Policy) })
	return waits[:min(len(waits), maxWaits)]
}

// fullLimit is a limit of a policy that has no room.
type fullLimit struct {
	policy *policy
	block  block
}

// roomWaits are the limits of the policy that have no room for the hold.
func (s *state) roomWaits(p *policy, h *hold) []v1beta1.AdmissionWait {
	full := p.blocks(&p.taken, h.node, nil)
	if len(full) == 0 && len(h.own) == 0 && len(h.gated) == 0 && !p.fits(&p.promised, h.node, p.keptBefore(h)) {
		full = []block{{kind: blockKept}}
	}
	var waits []v1beta1.AdmissionWait
	for _, b := range full {
		h.full = append(h.full, fullLimit{p, b})
		waits = append(waits, v1beta1.AdmissionWait{Policy: p.name, Reason: b.reason(), Message: s.blockText(p, b)})
	}
	return waits
}
