// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// memory is what the engine keeps of the nodes it deals with. None of it is needed to go on
// after a restart: it spares requests and repeated events.
type memory struct {
	mu    sync.Mutex
	nodes map[string]*nodeMemory
}

// nodeMemory belongs to the one worker that has the node's key from the queue.
type nodeMemory struct {
	latest latest[*corev1.Node]
	holds  map[types.UID]*holdMemory
	gauges nodeGauges
	said   conditionsSaid
	// verdicts are of the node's pods, while it is drained.
	verdicts verdicts
	// claims are of the pods that stay on the node, while it is drained.
	claims claims
	// repairs spaces what is repaired of the cordon.
	repairs writeLimit
	// noted is the annotation of a node left behind that an event told of.
	noted string
}

// holdMemory is what is kept of one hold.
type holdMemory struct {
	latest latest[*v1beta1.NodeMaintenance]
	limit  writeLimit
	draft  draft
	// unsureUntil is until when the cache may show a status that was replaced.
	unsureUntil time.Time
	tally       tally
	blocked     blockedNote
}

func newMemory() *memory { return &memory{nodes: map[string]*nodeMemory{}} }

func (m *memory) of(node string) *nodeMemory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.nodes[node] == nil {
		m.nodes[node] = &nodeMemory{holds: map[types.UID]*holdMemory{}}
	}
	return m.nodes[node]
}

// forget drops the memory of a node that needs none any more.
func (m *memory) forget(node string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if forgotten := m.nodes[node]; forgotten != nil {
		forgotten.gauges.replace(nodeGauges{})
		delete(m.nodes, node)
	}
}

func (n *nodeMemory) hold(uid types.UID) *holdMemory {
	if n.holds[uid] == nil {
		n.holds[uid] = &holdMemory{}
	}
	return n.holds[uid]
}

// keep drops the memory of all holds but these.
func (n *nodeMemory) keep(holds []*v1beta1.NodeMaintenance) {
	kept := make(map[types.UID]*holdMemory, len(holds))
	for _, h := range holds {
		kept[h.UID] = n.hold(h.UID)
	}
	n.holds = kept
}
