// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestMaxInMaintenance(t *testing.T) {
	most := func(c v1beta1.MaxInMaintenanceCheck) v1beta1.ProfileCheck {
		return v1beta1.ProfileCheck{MaxInMaintenance: &c}
	}
	one := most(v1beta1.MaxInMaintenanceCheck{Max: 1})
	skip := most(v1beta1.MaxInMaintenanceCheck{Max: 1, SkipAfterSeconds: ptr.To[int64](3600)})
	zone := most(v1beta1.MaxInMaintenanceCheck{Max: 1, GroupBy: []string{"zone", "rack"}})
	ofQ := most(v1beta1.MaxInMaintenanceCheck{Max: 1, Profile: "q"})
	labels := func(zone, rack string) map[string]string { return map[string]string{"zone": zone, "rack": rack} }
	maintained := func(node string) change { return inLedger(node, "p", "2026-11-22T11:30:00Z") }
	asked{
		"none":                                {one, nil, `True: 0 of 1 node in maintenance`},
		"as many":                             {one, []change{maintained("w-2")}, `False: 1 of 1 node in maintenance (w-2)`},
		"fewer":                               {most(v1beta1.MaxInMaintenanceCheck{Max: 2}), []change{maintained("w-2")}, `True: 1 of 2 nodes in maintenance (w-2)`},
		"too many":                            {one, []change{maintained("w-3"), maintained("w-2")}, `False: 2 of 1 node in maintenance (w-2, w-3)`},
		"another profile on this node counts": {one, []change{inLedger("w-1", "q", "2026-11-22T11:30:00Z")}, `False: 1 of 1 node in maintenance (w-1)`},
		"the own grant, which is asked about again, does not": {one, []change{ownGrant}, `True: 0 of 1 node in maintenance`},
		"the status of others does not count, the ledger does": {
			one, []change{carries("w-2", "p", v1beta1.ProfileInMaintenance)}, `True: 0 of 1 node in maintenance`,
		},

		"another zone": {
			zone,
			[]change{labelled(labels("a", "1")), other("w-2", labels("b", "1")), maintained("w-2")},
			`True: 0 of 1 node of zone "a" of rack "1" in maintenance`,
		},
		"another rack": {
			zone,
			[]change{labelled(labels("a", "1")), other("w-2", labels("a", "2")), maintained("w-2")},
			`True: 0 of 1 node of zone "a" of rack "1" in maintenance`,
		},
		"the same": {
			zone,
			[]change{labelled(labels("a", "1")), other("w-2", labels("a", "1")), maintained("w-2")},
			`False: 1 of 1 node of zone "a" of rack "1" in maintenance (w-2)`,
		},
		"a label that the node has empty is left out": {
			zone,
			[]change{labelled(labels("a", "")), other("w-2", labels("a", "2")), maintained("w-2")},
			`False: 1 of 1 node of zone "a" in maintenance (w-2)`,
		},
		"without the labels, all count": {zone, []change{other("w-2", labels("a", "2")), maintained("w-2")}, `False: 1 of 1 node in maintenance (w-2)`},
		"a node that is gone counts":    {zone, []change{labelled(labels("a", "1")), maintained("w-2")}, `False: 1 of 1 node of zone "a" of rack "1" in maintenance (w-2)`},
		"the node itself is gone":       {zone, []change{noNode}, `Error: node w-1 does not exist`},

		"a node with the profile, whichever is in maintenance": {
			ofQ,
			[]change{profile("q"), carries("w-2", "q", v1beta1.ProfileOperational), maintained("w-2")},
			`False: 1 of 1 node with profile q in maintenance (w-2)`,
		},
		"a node without the profile": {ofQ, []change{profile("q"), maintained("w-2")}, `True: 0 of 1 node with profile q in maintenance`},
		// The former controller never found nodes that had the profile default without a label.
		"by the alias, however the profile came there": {
			most(v1beta1.MaxInMaintenanceCheck{Max: 1, Profile: "default"}),
			[]change{aliased("default"), carries("w-2", "p", v1beta1.ProfileInMaintenance), maintained("w-2")},
			`False: 1 of 1 node with profile default in maintenance (w-2)`,
		},

		"not yet skipped": {skip, []change{maintained("w-2")}, `False: 1 of 1 node in maintenance (w-2) | 2026-11-22T12:30:00Z`},
		"skipped":         {skip, []change{maintained("w-2"), now("2026-11-22T12:30:00Z")}, `True: 0 of 1 node in maintenance`},
		"two to be skipped": {
			skip,
			[]change{inLedger("w-2", "p", "2026-11-22T11:45:00Z"), inLedger("w-3", "p", "2026-11-22T11:15:00Z")},
			`False: 2 of 1 node in maintenance (w-2, w-3) | 2026-11-22T12:45:00Z`,
		},
		// The former controller crashed if the profile was in the label, and not yet in the data.
		"skip by a profile that is nowhere": {
			most(v1beta1.MaxInMaintenanceCheck{Max: 1, Profile: "nope", SkipAfterSeconds: ptr.To[int64](60)}),
			[]change{maintained("w-2")},
			`True: 0 of 1 node with profile nope in maintenance`,
		},
	}.run(t)
}

// ownGrant has the ledger say that the transition of this node was granted, and nothing was recorded yet.
func ownGrant(s *scene) {
	s.Ledger.InMaintenance = append(s.Ledger.InMaintenance, v1beta1.LedgerProfile{Node: "w-1", Profile: "p", Sequence: 3, Attempt: 1})
}

func profile(name string) change {
	return func(s *scene) {
		s.profiles = append(s.profiles, &v1beta1.MaintenanceProfile{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
}

func aliased(alias string) change { return func(s *scene) { s.Profile.Spec.Alias = alias } }
