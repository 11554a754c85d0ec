// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package places

import (
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// AddPools enters places that another controller has given into the ledger, unless it has them, or their time is over. It
// says whether one was missing.
func AddPools(spec *v1beta1.MaintenanceLedgerSpec, pools []v1beta1.LedgerPool, now time.Time) (added bool) {
	for _, adopted := range pools {
		for _, grant := range adopted.Grants {
			if IsOver(grant, now) || slices.ContainsFunc(grantsOf(spec, adopted.Name), sameGrant(grant)) {
				continue
			}
			pool := poolOf(spec, adopted.Name)
			pool.Grants = append(pool.Grants, grant)
			added = true
		}
	}
	return added
}

func grantsOf(spec *v1beta1.MaintenanceLedgerSpec, name string) []v1beta1.LedgerGrant {
	for i := range spec.Pools {
		if spec.Pools[i].Name == name {
			return spec.Pools[i].Grants
		}
	}
	return nil
}

// sameGrant knows a place again, whichever profile has adopted it: profiles can share a pool, and the controller does not say
// for which it has given the place.
func sameGrant(as v1beta1.LedgerGrant) func(v1beta1.LedgerGrant) bool {
	return func(g v1beta1.LedgerGrant) bool { return g.Node == as.Node && g.Time.Equal(&as.Time) }
}
