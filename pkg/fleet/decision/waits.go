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

// firm are the reasons that go before all others, the firmest first: no time ends them, and no room.
var firm = []v1beta1.AdmissionReason{
	v1beta1.AdmissionInvalidPolicy, v1beta1.AdmissionDenied, v1beta1.AdmissionStopped, v1beta1.AdmissionPaused, v1beta1.AdmissionFrozen,
}

// waits are what a hold waits for: first what no policy asks for, then policy by policy, with the firmest reasons first.
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
	sortWaits(waits)
	return waits[:min(len(waits), maxWaits)]
}

func sortWaits(waits []v1beta1.AdmissionWait) {
	firmest := map[string]int{"": -1}
	for _, wait := range waits {
		if before, known := firmest[wait.Policy]; !known || firmness(wait) < before {
			firmest[wait.Policy] = firmness(wait)
		}
	}
	slices.SortStableFunc(waits, func(a, b v1beta1.AdmissionWait) int {
		return cmp.Or(cmp.Compare(firmest[a.Policy], firmest[b.Policy]), cmp.Compare(a.Policy, b.Policy), cmp.Compare(firmness(a), firmness(b)))
	})
}

// firmness is the place of the wait's reason among the firm ones, or behind them.
func firmness(wait v1beta1.AdmissionWait) int {
	if place := slices.Index(firm, wait.Reason); place >= 0 {
		return place
	}
	return len(firm)
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
