// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// model is a random fleet.
type model struct {
	*fleet
	t    *testing.T
	r    *rand.Rand
	saw  map[string]int
	seed uint64
	// version is the resourceVersion of the ledger.
	version int
	// late is the write of the other leader, which it has not made yet.
	late *write
	made int
}

// write is a ledger that a leader is about to write.
type write struct {
	version int
	facts   Facts
	outcome Outcome
}

func newModel(t *testing.T, seed uint64, saw map[string]int) *model {
	m := &model{fleet: newFleet(""), t: t, r: rand.New(rand.NewPCG(seed, 7)), saw: saw, seed: seed}
	for i := range 2 + m.r.IntN(9) {
		m.addNode(fmt.Sprintf("w-%d", i+1), m.labels())
	}
	for range m.r.IntN(4) {
		m.addPolicy()
	}
	return m
}

func (m *model) chance(percent int) bool { return m.r.IntN(100) < percent }

func pick[T any](m *model, all ...T) T { return all[m.r.IntN(len(all))] }

func (m *model) labels() map[string]string {
	labels := map[string]string{"pool": pick(m, "web", "db")}
	if m.chance(85) {
		labels[corev1.LabelTopologyZone] = pick(m, "a", "b", "c")
	}
	return labels
}

// live is the whole of a run: a time in which everything changes, and one in which it comes to rest.
func (m *model) live() {
	for range 60 {
		for range m.r.IntN(4) {
			m.change()
		}
		m.lead()
		m.drain()
	}
	m.comeToRest()
}

// lead has one of two leaders decide and write the ledger. Sometimes the other one has decided before, and writes
// afterwards; its write must fail. Sometimes the process ends before the write, or before it knows of it.
func (m *model) lead() {
	facts := m.snapshot()
	outcome := m.decider.Decide(facts)
	now := write{version: m.version, facts: facts, outcome: outcome}
	switch {
	case m.chance(10):
		m.late = &now
		return
	case m.chance(5):
		m.saw["decision lost"]++
		return
	}
	m.store(now)
	if m.late != nil {
		m.store(*m.late)
		m.late = nil
	}
}

// snapshot are the facts as they are now. Those that the API servers are asked for are right.
func (m *model) snapshot() Facts {
	facts := m.Facts
	facts.Released, facts.Taken = map[string]bool{}, m.taken()
	for _, e := range facts.Ledger.Entries {
		facts.Released[e.Node] = m.gone(e)
	}
	facts.Ledger, facts.Started = *facts.Ledger.DeepCopy(), maps.Clone(facts.Started)
	facts.Policies, facts.Nodes, facts.Holds = copies(facts.Policies), copies(facts.Nodes), copies(facts.Holds)
	return facts
}

func copies[T any, P interface {
	*T
	DeepCopy() P
}](all []P) []P {
	copied := make([]P, len(all))
	for i := range all {
		copied[i] = all[i].DeepCopy()
	}
	return copied
}

// gone says whether the node of an entry was given back, or does not exist.
func (m *model) gone(e v1beta1.LedgerEntry) bool {
	i := slices.IndexFunc(m.Nodes, func(n *corev1.Node) bool { return n.Name == e.Node && n.UID == e.NodeUID })
	return i < 0 || (len(e.Holds) == 0 && !marked(m.Nodes[i]))
}

// store writes a ledger, if nobody has written it since it was read.
func (m *model) store(w write) {
	if w.version != m.version {
		m.saw["conflict"]++
		return
	}
	m.check(w)
	if !reflect.DeepEqual(m.Ledger, w.outcome.Ledger) {
		m.version++
	}
	m.Ledger = *w.outcome.Ledger.DeepCopy()
	m.told(w.outcome)
}

// told has the holds show what was decided.
func (m *model) told(o Outcome) {
	for _, h := range m.Holds {
		answer, found := o.Holds[h.UID]
		if !found {
			continue
		}
		if h.Status.Admission == nil {
			h.Status.Admission = &v1beta1.MaintenanceAdmission{}
		}
		h.Status.Admission.Stage, h.Status.Admission.Approved = answer.Stage, answer.Approved
		h.Status.Admission.AdmittedTime = nil
		if !answer.AdmittedTime.IsZero() {
			h.Status.Admission.AdmittedTime = ptr.To(metav1.NewTime(answer.AdmittedTime))
		}
	}
}

// drain does a part of what the drainer does, by what the ledger says.
func (m *model) drain() {
	for _, n := range m.Nodes {
		if m.chance(30) {
			continue // it is slow
		}
		m.drainNode(n)
	}
	m.Holds = slices.DeleteFunc(m.Holds, func(h *v1beta1.NodeMaintenance) bool {
		return h.DeletionTimestamp != nil && !m.exists(h.Spec.NodeName, marked)
	})
}

func (m *model) exists(node string, is func(*corev1.Node) bool) bool {
	return slices.ContainsFunc(m.Nodes, func(n *corev1.Node) bool { return n.Name == node && is(n) })
}

func (m *model) drainNode(n *corev1.Node) {
	active := slices.DeleteFunc(slices.Clone(m.Holds), func(h *v1beta1.NodeMaintenance) bool {
		return h.Spec.NodeName != n.Name || h.DeletionTimestamp != nil || h.Spec.Stage == v1beta1.StageIdle || m.waits(h, n)
	})
	for _, h := range active {
		m.take(h)
		if h.Spec.Stage == v1beta1.StageDrain && h.Status.StartTime == nil {
			h.Status.StartTime = ptr.To(metav1.NewTime(m.Now))
		}
	}
	if len(active) > 0 {
		return
	}
	n.Spec.Unschedulable, n.Spec.Taints = false, nil
	for _, h := range m.Holds {
		if h.Spec.NodeName == n.Name {
			h.Status.NodeBefore, h.Status.NodeUID, h.Status.StartTime = nil, "", nil
		}
	}
}

// waits says whether the hold has to wait. The drainer asks before the cordon: the policies and the ledger are read
// from the store.
func (m *model) waits(h *v1beta1.NodeMaintenance, n *corev1.Node) bool {
	for _, e := range m.Ledger.Entries {
		if e.Node == n.Name && e.NodeUID == n.UID && e.GivenBackTime == nil &&
			slices.ContainsFunc(e.Holds, func(had v1beta1.LedgerHold) bool { return had.UID == h.UID }) {
			return false
		}
	}
	selected := slices.ContainsFunc(m.Policies, func(p *v1beta1.MaintenancePolicy) bool { return couldSelect(p, n) })
	taken := h.Status.NodeUID == n.UID && h.Status.NodeBefore != nil && marked(n)
	tooEarly := h.Spec.NotBefore != nil && m.Now.Before(h.Spec.NotBefore.Time)
	return !taken && (selected || tooEarly)
}

// couldSelect is Selects, but a policy that cannot be applied could select every node.
func couldSelect(p *v1beta1.MaintenancePolicy, n *corev1.Node) bool {
	selects, err := Selects(p, n)
	return selects || err != nil
}

// comeToRest has every hold start in the end, once nothing but room keeps it.
func (m *model) comeToRest() {
	m.late = nil
	for _, p := range m.Policies {
		m.allow(p)
	}
	m.Nodes = slices.DeleteFunc(m.Nodes, func(n *corev1.Node) bool { return n.DeletionTimestamp != nil })
	for _, n := range m.Nodes {
		m.ready(n.Name, true)
	}
	for _, h := range m.Holds {
		h.Spec.NotBefore = nil
	}
	for round := range 200 {
		m.pass(10 * time.Minute)
		for _, h := range m.Holds {
			for _, p := range m.Policies {
				m.Started[GateKey{Hold: h.UID, Policy: p.Name}] = GateAnswer{Passed: true}
			}
			if h.Status.NodeBefore != nil && m.chance(50) {
				h.DeletionTimestamp = ptr.To(metav1.NewTime(m.Now))
			}
			if h.Spec.Stage == v1beta1.StageIdle || !m.exists(h.Spec.NodeName, func(*corev1.Node) bool { return true }) {
				h.DeletionTimestamp = ptr.To(metav1.NewTime(m.Now))
			}
		}
		facts := m.snapshot()
		m.store(write{version: m.version, facts: facts, outcome: m.decider.Decide(facts)})
		m.drain()
		if len(m.Holds) == 0 && len(m.Ledger.Entries) == 0 {
			m.saw[fmt.Sprintf("rest within %d rounds", (round/20+1)*20)]++
			return
		}
	}
	m.t.Fatalf("seed %d: never came to rest: %d holds, %d entries: %+v", m.seed, len(m.Holds), len(m.Ledger.Entries),
		m.decider.Decide(m.snapshot()).Holds)
}

// allow changes a policy so that only room keeps holds.
func (m *model) allow(p *v1beta1.MaintenancePolicy) {
	p.Generation++
	p.Spec.Paused, p.Spec.Schedule, p.Spec.Approvals, p.Spec.AutoStop = false, nil, nil, nil
	if p.Spec.NodeSelector == nil || len(p.Spec.NodeSelector.MatchExpressions) > 0 {
		p.Spec.NodeSelector = &metav1.LabelSelector{}
	}
	if l := p.Spec.Limits.MaxConcurrent; l != nil && *l == *limit("0") {
		p.Spec.Limits.MaxConcurrent = limit("1")
	}
}
