// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import "maps"

// names are names of nodes.
type names map[string]bool

// tally is which nodes count for a policy.
type tally struct {
	// concurrent count for maxConcurrent, unavailable for maxUnavailable. held are in maintenance and not given back.
	concurrent, unavailable, held names
	// domains are those that count for maxConcurrent, by the place of the topology's limit and the domain.
	domains []map[string]names
	// starts is how many starts count for the pace.
	starts int
}

func newTally(topologies int) tally {
	t := tally{concurrent: names{}, unavailable: names{}, held: names{}, domains: make([]map[string]names, topologies)}
	for i := range t.domains {
		t.domains[i] = map[string]names{}
	}
	return t
}

func (t tally) clone() tally {
	copied := newTally(len(t.domains))
	maps.Copy(copied.concurrent, t.concurrent)
	maps.Copy(copied.unavailable, t.unavailable)
	maps.Copy(copied.held, t.held)
	for i := range t.domains {
		for domain, nodes := range t.domains[i] {
			copied.domains[i][domain] = maps.Clone(nodes)
		}
	}
	copied.starts = t.starts
	return copied
}

// inDomain counts a node in a domain.
func (t tally) inDomain(i int, domain, node string) {
	if t.domains[i][domain] == nil {
		t.domains[i][domain] = names{}
	}
	t.domains[i][domain][node] = true
}

// start counts a node that the policy selects, which starts now.
func (t *tally) start(p *policy, n *node) {
	t.concurrent[n.Name] = true
	t.unavailable[n.Name] = true
	t.held[n.Name] = true
	for i, topology := range p.limits.topology {
		t.inDomain(i, n.Labels[topology.key], n.Name)
	}
	t.starts++
}
