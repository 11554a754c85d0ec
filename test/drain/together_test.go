// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"fmt"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Not parallel: it measures time.
func TestTimedFreeNodeBesideBlockedOnes(t *testing.T) {
	const blockedNodes = 50
	p := newPool(t, blockedNodes+2)
	before, free := p.Nodes[blockedNodes], p.Nodes[blockedNodes+1]
	workload := p.workload().Budget("kept", localcluster.MinAvailable(fmt.Sprint(2*blockedNodes)))
	for i, node := range p.Nodes[:blockedNodes] {
		for j := range 2 {
			workload.Pod(fmt.Sprintf("kept-%d-%d", i, j), localcluster.OnNode(node), localcluster.Label(localcluster.AppLabel, "kept"))
		}
	}
	p.Run(t, workload.Pod("before", localcluster.OnNode(before)).Pod("free", localcluster.OnNode(free)))
	alone := p.firstEviction(t, "before", before)
	for i, node := range p.Nodes[:blockedNodes] {
		p.Create(t, p.Hold(fmt.Sprintf("blocked-%d", i), node))
	}
	for i := range blockedNodes {
		p.WaitForHold(t, fmt.Sprintf("%s-blocked-%d", p.Name, i), "drain blocked", func(nm *v1beta1.NodeMaintenance) bool {
			return nm.Status.BlockedPodCount == 2
		})
	}

	// What takes long without any blocked node is the machine's doing.
	most := max(time.Second, 3*alone)
	if took := p.firstEviction(t, "free", free); took > most {
		t.Errorf("the first eviction of the free node came %s after its hold was asked for, want at most %s", took, most)
	}
	if evictions := p.evictions(t); len(evictions) != 2 {
		t.Errorf("%d evictions were posted, want those of the free pods alone", len(evictions))
	}
}

// firstEviction drains a node and returns how long after its hold was asked for
// the pod was evicted.
func (p *pool) firstEviction(t *testing.T, pod, node string) time.Duration {
	t.Helper()
	start := time.Now()
	p.drain(t, pod, node)
	return p.evicted(t)[pod].asked.Sub(start)
}

func TestBudgetsAreKeptWhileNodesDrainTogether(t *testing.T) {
	t.Parallel()
	p := newPool(t, 4)
	quick := localcluster.ReadyDelay(500 * time.Millisecond)
	p.Run(t, p.workload().
		Deployment("web", 9, p.Selector(), quick).Budget("web", localcluster.MaxUnavailable("1")).
		Deployment("api", 8, p.Selector(), quick).Budget("api", localcluster.MinAvailable("75%")).
		StatefulSet("db", 4, p.Selector(), quick).Budget("db", localcluster.MinAvailable("3")).
		Deployment("free", 4, p.Selector(), quick))
	budgets := p.watchBudgets(t, "web", "api", "db")
	for i, node := range p.Nodes[:3] {
		p.Create(t, p.Hold(fmt.Sprint(i), node))
	}
	for i, node := range p.Nodes[:3] {
		p.WaitForHold(t, fmt.Sprintf("%s-%d", p.Name, i), "node drained", succeeded)
		p.wantApps(t, node, map[string]int{})
	}
	budgets.check(t, p, map[string]int{"web": 8, "api": 6, "db": 3})
	for _, e := range p.evictions(t) {
		if !e.accepted() && !p.unforeseeable(t, e) {
			t.Errorf("the eviction of pod %s was answered by %d, want every one accepted at once", e.pod, e.code)
		}
	}
}
