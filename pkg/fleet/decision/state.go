// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/calendar"
)

// state is a decision that is being made.
type state struct {
	facts Facts
	now   time.Time
	// policies are sorted by name.
	policies []*policy
	byName   map[string]*policy
	nodes    map[string]*node
	// holds are those that are not being deleted, sorted by name.
	holds []*hold
	// entries are those of the new ledger, by the name of the node; starts, failures and stops are the rest of it.
	entries  map[string]*entry
	starts   []v1beta1.LedgerStart
	failures []v1beta1.LedgerFailure
	stops    []v1beta1.LedgerStop
	// begun are the domains that nodes in maintenance are in.
	begun map[domainKey]bool
	// need is how many pods of nodes in maintenance each budget selects.
	need  budgets
	check []GateKey
	// reranks says that the ranks of holds may have changed, since a node has started.
	reranks bool
	// waiting are the holds that wait, in the order in which they are to start.
	waiting []*hold
	// queued are these by policy.
	queued map[*policy][]*hold
	// spare is how many bytes the ledger may still grow; nil: not measured yet. full says that a start was too much.
	spare *int
	full  bool
	// shared is the time when schedules of several policies open at the same time, by the names of the policies, as far as it was
	// worked out already.
	shared map[string][]sharedSpan
	// again is the time when the outcome may change by time alone.
	again time.Time
}

// policy is a policy, and how many nodes it counts.
type policy struct {
	*rules
	name       string
	generation int64
	// selected are the nodes that it selects now.
	selected []*node
	limits   limits
	// taken is what counts now. promised adds the nodes whose start gates are being checked. foreign is what would count
	// if no node were in maintenance.
	taken, promised, foreign tally
	// starts are the times when the nodes started that count for the pace, oldest first.
	starts []time.Time
	stop   *v1beta1.LedgerStop
	// kept is for whom the next free room is kept; nil: for nobody.
	kept *hold
	// times is what the calendar says of now, and closed why it lets nothing start; empty if it does.
	times  calendar.State
	closed string
	// texts and free are what was worked out already: messages, and before when a limit has no room.
	texts map[block]string
	free  map[block]time.Time
}

// node is a node that exists.
type node struct {
	*corev1.Node
	ready   bool
	since   time.Time
	joining bool
	// policies are those that select it, or might, sorted by name.
	policies []*policy
	holds    []*hold
}

// hold is a NodeMaintenance that is not being deleted.
type hold struct {
	*v1beta1.NodeMaintenance
	// node is nil if it does not exist.
	node *node
	// taken says that it has its node out of service, as the marks on the node say.
	taken bool
	// outBefore says that another operator took its node out of service before the import, and that it still is.
	outBefore bool
	// own is what it waits for besides room and gates.
	own []v1beta1.AdmissionWait
	// gated is what the start gates say, if they do not all pass.
	gated []v1beta1.AdmissionWait
	// unrecorded says that it would start if the ledger had room.
	unrecorded bool
	// full are the limits that have no room for it.
	full []fullLimit
	rank rank
}

// look orders the facts.
func (d *Decider) look(f Facts) *state {
	s := &state{
		facts: f, now: f.Now, byName: map[string]*policy{}, nodes: make(map[string]*node, len(f.Nodes)),
		entries: map[string]*entry{}, begun: map[domainKey]bool{}, need: budgets{},
		shared: map[string][]sharedSpan{},
	}
	s.lookAtPolicies(d)
	for _, n := range f.Nodes {
		s.lookAtNode(n)
	}
	for _, h := range f.Holds {
		if h.DeletionTimestamp == nil {
			s.holds = append(s.holds, &hold{
				NodeMaintenance: h, node: s.nodes[h.Spec.NodeName], taken: f.Taken[h.UID], outBefore: f.OutBefore[h.UID],
			})
		}
	}
	slices.SortFunc(s.holds, func(a, b *hold) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID)) })
	for _, h := range s.holds {
		if h.node != nil {
			h.node.holds = append(h.node.holds, h)
		}
	}
	return s
}

func (s *state) lookAtPolicies(d *Decider) {
	sorted := slices.SortedFunc(slices.Values(s.facts.Policies), func(a, b *v1beta1.MaintenancePolicy) int {
		return cmp.Compare(a.Name, b.Name)
	})
	for i, r := range d.compiled(sorted, s.now) {
		p := &policy{
			rules: r, name: sorted[i].Name, generation: sorted[i].Generation,
			texts: map[block]string{}, free: map[block]time.Time{},
		}
		p.times = r.calendar.At(s.now)
		p.closed = p.closedText(s.now)
		s.wake(p.times.Holds)
		s.policies = append(s.policies, p)
		s.byName[p.name] = p
	}
}

func (s *state) lookAtNode(found *corev1.Node) {
	n := &node{Node: found, joining: joining(found, s.now)}
	n.ready, n.since = readiness(found)
	for _, p := range s.policies {
		if p.selector.Matches(labels.Set(found.Labels)) {
			n.policies = append(n.policies, p)
			p.selected = append(p.selected, n)
		}
	}
	if n.joining && len(n.policies) > 0 {
		s.wake(found.CreationTimestamp.Add(joinTime))
	}
	s.nodes[found.Name] = n
}

// wake notes that the outcome may change at a time.
func (s *state) wake(t time.Time) {
	if t.After(s.now) && (s.again.IsZero() || t.Before(s.again)) {
		s.again = t
	}
}
