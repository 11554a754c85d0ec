// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package evaluation

import (
	"time"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// stagger asks whether a pool has a place that is free.
type stagger struct{ *v1beta1.StaggerCheck }

func (c stagger) ask(q question) CheckResult {
	places := int(ptr.Deref(c.Parallel, v1beta1.DefaultStaggerParallel))
	nodes, ends := c.taken(q)
	again := roomAt(ends, len(ends), places)
	answer := is(len(ends) < places, "pool %s has %d of %s taken%s", c.Pool, len(ends), count(places, "place"), among(nodes))
	if !again.IsZero() {
		answer.Message = sentence("%s until %s", answer.Message, moment(again))
	}
	answer.Again = again
	return answer.with("taken", len(ends)).with("parallel", places)
}

// taken returns who has the places that are taken, and until when. Each is taken for as long as the check said that took
// it.
func (c stagger) taken(q question) (nodes []string, ends []time.Time) {
	for _, grant := range poolOf(&q.Ledger, c.Pool).Grants {
		end := grant.Time.Add(seconds(grant.Seconds))
		if q.isNext(grant) || !q.Now.Before(end) {
			continue
		}
		nodes, ends = append(nodes, grant.Node), append(ends, end)
	}
	return nodes, ends
}

func poolOf(ledger *v1beta1.MaintenanceLedgerSpec, name string) v1beta1.LedgerPool {
	for _, pool := range ledger.Pools {
		if pool.Name == name {
			return pool
		}
	}
	return v1beta1.LedgerPool{}
}

// isNext says whether a place was taken for the attempt that is asked about, which was not recorded yet. The place of an
// attempt that was given up stays taken.
func (f *Facts) isNext(grant v1beta1.LedgerGrant) bool {
	return f.isOwn(grant.Node, grant.Profile, grant.Sequence) && grant.Attempt > f.NodeProfile.Status.Attempt
}
