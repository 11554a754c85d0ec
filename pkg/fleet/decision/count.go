// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

// count counts for each policy which nodes are in maintenance or out of service.
func (s *state) count() {
	for _, p := range s.policies {
		p.resolveLimits()
		p.taken = newTally(len(p.limits.topology))
		p.taken.starts = len(p.starts)
		for _, n := range p.selected {
			if n.outOfService() {
				p.taken.unavailable[n.Name] = true
			}
		}
	}
	for _, e := range s.entries {
		s.countEntry(e)
	}
	for _, p := range s.policies {
		p.promised, p.foreign = p.taken.clone(), newTally(len(p.limits.topology))
		for name := range p.taken.unavailable {
			if !p.taken.held[name] {
				p.foreign.unavailable[name] = true
			}
		}
	}
}

// outOfService says whether the node counts for maxUnavailable, whether or not it is in maintenance.
func (n *node) outOfService() bool {
	return !n.joining && (!n.ready || n.Spec.Unschedulable || n.DeletionTimestamp != nil)
}

// countEntry counts an entry for the policies that select its node, and for those that did when it was admitted.
func (s *state) countEntry(e *entry) {
	for _, p := range s.countedBy(e) {
		if p.soaked(e, s.now) {
			continue
		}
		p.taken.concurrent[e.Node] = true
		if e.held() {
			p.taken.unavailable[e.Node] = true
			p.taken.held[e.Node] = true
		}
		for i, topology := range p.limits.topology {
			for _, domain := range e.domains(p, topology.key) {
				p.taken.inDomain(i, domain, e.Node)
				s.begun[domainKey{p.name, topology.key, domain}] = true
			}
		}
	}
	if e.node != nil && e.held() {
		s.begun[e.node.zone()] = true
		s.need.add(s.facts.Pods[e.Node])
	}
}

// countedBy are the policies for which an entry counts.
func (s *state) countedBy(e *entry) []*policy {
	var counted []*policy
	for _, recorded := range e.Policies {
		if p := s.byName[recorded.Name]; p != nil {
			counted = append(counted, p)
		}
	}
	if e.node == nil {
		return counted
	}
	for _, p := range e.node.policies {
		if e.recorded(p.name) == nil {
			counted = append(counted, p)
		}
	}
	return counted
}

// domains are the domains in which the entry counts: the one of the node now, if the policy selects it, and the one
// when it was admitted.
func (e *entry) domains(p *policy, key string) []string {
	var found []string
	if recorded := e.recorded(p.name); recorded != nil {
		for _, domain := range recorded.Domains {
			if domain.Key == key {
				found = append(found, domain.Value)
			}
		}
	}
	if e.node != nil && e.node.selectedBy(p) && (len(found) == 0 || found[0] != e.node.Labels[key]) {
		found = append(found, e.node.Labels[key])
	}
	return found
}
