// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fakePrometheus answers queries as a test says. A query of which it says nothing passes.
type fakePrometheus struct {
	mu sync.Mutex
	// says is why a query does not pass.
	says map[string]string
	// hangs are the queries that get no answer.
	hangs map[string]bool
	// asked is how often each query was asked; busy and most are how many are, and were, under way at a time.
	asked      map[string]int
	busy, most int
}

func newFakePrometheus() *fakePrometheus {
	return &fakePrometheus{says: map[string]string{}, hangs: map[string]bool{}, asked: map[string]int{}}
}

func (p *fakePrometheus) Passes(ctx context.Context, query string) (passes bool, why string) {
	p.mu.Lock()
	p.asked[query]++
	p.busy++
	p.most = max(p.most, p.busy)
	why, hangs := p.says[query], p.hangs[query]
	p.mu.Unlock()
	if hangs {
		<-ctx.Done()
		why = "Prometheus did not answer within 5s"
	}
	p.mu.Lock()
	p.busy--
	p.mu.Unlock()
	return why == "", why
}

func (p *fakePrometheus) Rest() {}

// say has a query answered so from now on; empty: it passes.
func (p *fakePrometheus) say(query, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.says[query] = why
}

func (p *fakePrometheus) times(query string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[query]
}

func (p *fakePrometheus) all() (times int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for asked := range maps.Values(p.asked) {
		times += asked
	}
	return times
}

// fakeAdmitter has policies, and is a ledger that outlives processes.
type fakeAdmitter struct {
	mu       sync.Mutex
	policies []*v1beta1.MaintenancePolicy
	entries  map[string]*v1beta1.LedgerEntry
	// unknown says that the ledger is not known.
	unknown bool
	// woken is how often Wake was called, and then is what it calls.
	woken int
	then  func()
}

func newFakeAdmitter(policies ...*v1beta1.MaintenancePolicy) *fakeAdmitter {
	return &fakeAdmitter{policies: policies, entries: map[string]*v1beta1.LedgerEntry{}}
}

func (a *fakeAdmitter) Policies() []*v1beta1.MaintenancePolicy {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.policies)
}

func (a *fakeAdmitter) WithoutPolicies() bool { return len(a.Policies()) == 0 }

func (a *fakeAdmitter) Entry(node string) (entry *v1beta1.LedgerEntry, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.entries[node].DeepCopy(), !a.unknown
}

// knows says whether the ledger is known.
func (a *fakeAdmitter) knows(known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unknown = !known
}

func (a *fakeAdmitter) KeepsBack(node string, keeps bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	entry := a.entries[node]
	switch {
	case entry == nil:
	case !keeps:
		entry.ReleaseTime = nil
	case entry.ReleaseTime == nil:
		entry.ReleaseTime = &metav1.MicroTime{Time: time.Now()}
	}
}

func (a *fakeAdmitter) Wake() {
	a.mu.Lock()
	a.woken++
	then := a.then
	a.mu.Unlock()
	if then != nil {
		then()
	}
}

func (a *fakeAdmitter) times() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.woken
}

// fakeCluster is a cluster of the nodes and holds that it names.
type fakeCluster struct {
	nodes []*corev1.Node
	holds []*v1beta1.NodeMaintenance
	plan  *v1beta1.DrainPlanStatus // nil: there is no plan
	// reading is called while a node is read; nil: nothing is.
	reading func()
}

func (c *fakeCluster) Node(name string) (*corev1.Node, error) {
	for _, node := range c.nodes {
		if node.Name == name {
			if c.reading != nil {
				c.reading()
			}
			return node, nil
		}
	}
	return nil, nil
}

func (c *fakeCluster) Holds() ([]*v1beta1.NodeMaintenance, error) { return c.holds, nil }

func (c *fakeCluster) HoldsOn(name string) []*v1beta1.NodeMaintenance {
	return slices.DeleteFunc(slices.Clone(c.holds), func(h *v1beta1.NodeMaintenance) bool { return h.Spec.NodeName != name })
}

func (c *fakeCluster) Outline(context.Context, *v1beta1.NodeMaintenance) (*v1beta1.DrainPlanStatus, error) {
	if c.plan == nil {
		return nil, errors.New("the drainer is not ready")
	}
	return c.plan, nil
}

// policy returns a policy for all nodes.
func policy(name string, gates v1beta1.PolicyGates) *v1beta1.MaintenancePolicy {
	return &v1beta1.MaintenancePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1beta1.MaintenancePolicySpec{NodeSelector: &metav1.LabelSelector{}, Gates: &gates},
	}
}

func queryGate(query string, forSeconds int64) v1beta1.PolicyGate {
	return v1beta1.PolicyGate{Prometheus: &v1beta1.PrometheusGate{Query: query, ForSeconds: forSeconds}}
}
