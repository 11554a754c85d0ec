// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package places

import (
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// InMaintenance says whether a NodeProfile is in maintenance, or has recorded that it is about to be. It is, too, until the
// enter of the state after it is through: if that is given up, the node goes back.
func InMaintenance(nodeProfile *v1beta1.NodeProfile) bool {
	status := &nodeProfile.Status
	if status.State == v1beta1.ProfileInMaintenance || status.Transition == nil {
		return status.State == v1beta1.ProfileInMaintenance
	}
	if status.Transition.Phase == v1beta1.PhaseEnter {
		return status.Transition.From == v1beta1.ProfileInMaintenance
	}
	return status.Transition.Next == v1beta1.ProfileInMaintenance
}

// Needs says whether a NodeProfile needs the entry of its node; nil: there is no NodeProfile.
func Needs(nodeProfile *v1beta1.NodeProfile, entry v1beta1.LedgerProfile) bool {
	return nodeProfile != nil && nodeProfile.Spec.Profile == entry.Profile && nodeProfile.Spec.NodeName == entry.Node &&
		InMaintenance(nodeProfile)
}

// Unrecorded says whether a grant was never recorded by its NodeProfile; nil: there is no NodeProfile. Once the attempt
// is void, it never will be.
func Unrecorded(nodeProfile *v1beta1.NodeProfile, sequence, attempt int64) bool {
	return nodeProfile != nil && nodeProfile.Status.Sequence == sequence && nodeProfile.Status.Attempt < attempt
}

// Remove takes the entry of a node out of the ledger.
func Remove(spec *v1beta1.MaintenanceLedgerSpec, node string) {
	spec.InMaintenance = slices.DeleteFunc(spec.InMaintenance, func(e v1beta1.LedgerProfile) bool { return e.Node == node })
}

// GiveBack takes out the places of pools that an attempt has taken, since nothing was done for it.
func GiveBack(spec *v1beta1.MaintenanceLedgerSpec, grant Grant) {
	for i := range spec.Pools {
		spec.Pools[i].Grants = slices.DeleteFunc(spec.Pools[i].Grants, func(g v1beta1.LedgerGrant) bool {
			return g.Node == grant.Node && g.Profile == grant.Profile && g.Sequence == grant.Sequence && g.Attempt == grant.Attempt
		})
	}
}

// Tidy takes out pools of which no place is taken any more. It is called when the ledger is written anyway: time alone
// writes nothing.
func Tidy(spec *v1beta1.MaintenanceLedgerSpec, now time.Time) {
	for i := range spec.Pools {
		pool := &spec.Pools[i]
		pool.Grants = slices.DeleteFunc(pool.Grants, func(g v1beta1.LedgerGrant) bool { return IsOver(g, now) })
	}
	spec.Pools = slices.DeleteFunc(spec.Pools, func(p v1beta1.LedgerPool) bool { return len(p.Grants) == 0 })
	if len(spec.Pools) == 0 {
		spec.Pools = nil
	}
	if len(spec.InMaintenance) == 0 {
		spec.InMaintenance = nil
	}
}
