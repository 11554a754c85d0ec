// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// memory is what a leader remembers of its nodes from one reconcile to the next. None of it is needed
// after a restart: it saves requests, writes and repeated events. What is known of evictions and of budgets
// is kept in package eviction, and what is known of pods that come back in package returns.
type memory struct {
	mu    sync.Mutex
	nodes map[string]*nodeMemory
	// named are the nodes that a gate has named since they were last looked at. Written by the gates'
	// Run, taken by look. Lost: what a gate holds for a node that nobody holds stays longer.
	named map[string]struct{}
}

// nodeMemory belongs to the one worker that has taken the node's name from the queue. The comment of
// each field says who writes it, what makes it stale, and what it costs to lose it.
type nodeMemory struct {
	// latest is the node as the answer to our last write, or a fresh read, showed it. Written by
	// view.sees. Stale when the cache shows another version. Lost: a write that ends in a conflict.
	latest holdstatus.Latest[*corev1.Node]
	// holds are what is kept of each hold of the node.
	holds map[types.UID]*holdstatus.HoldMemory
	// conditions are the node's conditions as we last wrote them, and the version of the node then.
	// Written by nodeWriter.saveConditions. Stale with the next version. Lost: a patch too many.
	conditions conditionsSaid
	// repairs limits how often the cordon is repaired. Written by nodeWriter.cordon. Never stale. Lost:
	// one repair sooner.
	repairs holdstatus.WriteLimit
	// planned limits how often the node is marked as planned. Written by nodeWriter.showPlanned. Never stale.
	// Lost: one write sooner.
	planned holdstatus.SlowLimit
	// drainable says which of the node's pods a drain evicts. Written by drains.plan. Stale with the
	// pod; dropped when the drain stops. Lost: kubectl's filters run once more.
	drainable clusterwatch.Judged
	// volumes has, for the claims of pods that stay, the volume that each is bound to. That never
	// changes. Written by drains.volumeOf; dropped when the drain stops. Lost: a GET for each claim.
	volumes map[types.NamespacedName]string
	// gauges are the node's share of the gauges. Written by the reporter. Lost: the gauges would count
	// the node twice, so clear takes it out, and so does the reporter for a node that is forgotten.
	gauges nodeGauges
	// toldLeftBehind is the annotation of a node left behind that an event told of. Written by
	// noteLeftBehind. Stale with the annotation. Lost: one more event.
	toldLeftBehind string
	// toldUnread are the holds that cannot be read, with why, that an event told of. Written by noteUnread. Stale when
	// others cannot be read. Lost: one more event.
	toldUnread []string
	// unreleased says that the gates may still hold something for a node that nobody holds, and that is in
	// service. Written by gates.release, nodeWriter.giveBack and confirmUnheld. Never stale. Lost: the gates name the
	// node when the next process begins to lead.
	unreleased bool
}

// conditionsSaid are a node's conditions as we last wrote them, and the version of the node then.
type conditionsSaid struct {
	resourceVersion string
	wanted          nodemarks.NodeConditions
}

func (c conditionsSaid) equal(other conditionsSaid) bool {
	return c.resourceVersion == other.resourceVersion && maps.Equal(c.wanted, other.wanted)
}

func newMemory() *memory {
	return &memory{nodes: map[string]*nodeMemory{}, named: map[string]struct{}{}}
}

// name notes that a gate has named the node.
func (m *memory) name(node string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.named[node] = struct{}{}
}

// takeNamed says whether a gate has named the node since the last call.
func (m *memory) takeNamed(node string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, named := m.named[node]
	delete(m.named, node)
	return named
}

// node returns what is kept of the node, and of these of its holds.
func (m *memory) node(name string, holds []*v1beta1.NodeMaintenance) *nodeMemory {
	m.mu.Lock()
	defer m.mu.Unlock()
	node := m.nodes[name]
	if node == nil {
		node = &nodeMemory{}
		m.nodes[name] = node
	}
	kept := make(map[types.UID]*holdstatus.HoldMemory, len(holds))
	for _, h := range holds {
		kept[h.UID] = node.holds[h.UID]
		if kept[h.UID] == nil {
			kept[h.UID] = &holdstatus.HoldMemory{}
		}
	}
	node.holds = kept
	return node
}

// mayBeOurs says whether the status of a hold, as a cache shows it, may be one that we wrote. It is so for
// a hold that was not looked at yet.
func (m *memory) mayBeOurs(maintenance *v1beta1.NodeMaintenance) bool {
	m.mu.Lock()
	node := m.nodes[maintenance.Spec.NodeName]
	if node == nil || node.holds[maintenance.UID] == nil {
		m.mu.Unlock()
		return true
	}
	hold := node.holds[maintenance.UID]
	m.mu.Unlock()
	return hold.Said.Knows(maintenance.Status)
}

// forget drops what is kept of a node that needs no further reconcile.
func (m *memory) forget(_ context.Context, v *view) result {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.nodes, v.name)
	return result{}
}

// clear drops everything. No worker may be at work.
func (m *memory) clear(r *reporter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, node := range m.nodes {
		r.gauge(node, nodeGauges{})
	}
	clear(m.nodes)
}
