// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestStagger(t *testing.T) {
	one := v1beta1.ProfileCheck{Stagger: &v1beta1.StaggerCheck{Pool: "a/b", Seconds: 600}}
	two := v1beta1.ProfileCheck{Stagger: &v1beta1.StaggerCheck{Pool: "a/b", Seconds: 600, Parallel: ptr.To[int32](2)}}
	grant := func(g v1beta1.LedgerGrant, time string) change {
		return func(s *scene) {
			g.Time = metav1.NewMicroTime(at(time))
			if len(s.Ledger.Pools) == 0 {
				s.Ledger.Pools = []v1beta1.LedgerPool{{Name: "other", Grants: []v1beta1.LedgerGrant{g}}, {Name: "a/b"}}
			}
			s.Ledger.Pools[1].Grants = append(s.Ledger.Pools[1].Grants, g)
		}
	}
	taken := func(node, time string) change {
		return grant(v1beta1.LedgerGrant{Node: node, Profile: "p", Seconds: 600}, time)
	}
	own := func(sequence, attempt int64) change {
		return grant(v1beta1.LedgerGrant{Node: "w-1", Profile: "p", Sequence: sequence, Attempt: attempt, Seconds: 600}, "2026-11-22T11:59:00Z")
	}
	given := func(s *scene) { s.NodeProfile.Status.Attempt = 1 }
	const ownTaken = `False: pool a/b has 1 of 1 place taken (w-1) until 2026-11-22T12:09:00Z | 2026-11-22T12:09:00Z`
	asked{
		"a pool that was never used": {one, nil, `True: pool a/b has 0 of 1 place taken`},
		"taken":                      {one, []change{taken("w-2", "2026-11-22T11:55:00Z")}, `False: pool a/b has 1 of 1 place taken (w-2) until 2026-11-22T12:05:00Z | 2026-11-22T12:05:00Z`},
		"just over":                  {one, []change{taken("w-2", "2026-11-22T11:50:00Z")}, `True: pool a/b has 0 of 1 place taken`},
		"a second place":             {two, []change{taken("w-2", "2026-11-22T11:55:00Z")}, `True: pool a/b has 1 of 2 places taken (w-2)`},
		"the first place that is free": {
			two,
			[]change{taken("w-2", "2026-11-22T11:55:00Z"), taken("w-3", "2026-11-22T11:51:00Z")},
			`False: pool a/b has 2 of 2 places taken (w-2, w-3) until 2026-11-22T12:01:00Z | 2026-11-22T12:01:00Z`,
		},
		"more are taken than there are places now": {
			one,
			[]change{taken("w-2", "2026-11-22T11:55:00Z"), taken("w-3", "2026-11-22T11:51:00Z")},
			`False: pool a/b has 2 of 1 place taken (w-2, w-3) until 2026-11-22T12:05:00Z | 2026-11-22T12:05:00Z`,
		},
		"for as long as the one said who took it": {
			one,
			[]change{grant(v1beta1.LedgerGrant{Node: "w-2", Seconds: 60}, "2026-11-22T11:59:30Z")},
			`False: pool a/b has 1 of 1 place taken (w-2) until 2026-11-22T12:00:30Z | 2026-11-22T12:00:30Z`,
		},
		"the own grant, which is asked about again":     {one, []change{own(3, 1)}, `True: pool a/b has 0 of 1 place taken`},
		"the own grant of an attempt that was given up": {one, []change{own(3, 1), given}, ownTaken},
		"the own grant of an earlier state":             {one, []change{own(1, 1)}, ownTaken},
	}.run(t)
}
