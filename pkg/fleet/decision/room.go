// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// block is a limit of a policy that has no room.
type block struct {
	kind blockKind
	// topology is the place of the topology's limit, and domain the domain that is full.
	topology int
	domain   string
}

type blockKind int

const (
	blockConcurrent blockKind = iota
	blockDomain
	blockDomains
	blockUnavailable
	blockPace
	// blockKept means that the room is kept for another node.
	blockKept
)

// reason is what a hold says that waits for room.
func (b block) reason() v1beta1.AdmissionReason {
	switch b.kind {
	case blockUnavailable:
		return v1beta1.AdmissionTooManyUnavailable
	case blockPace:
		return v1beta1.AdmissionPaceLimited
	default:
		return v1beta1.AdmissionQueued
	}
}

// extra is a node for which room is kept; nil: none.
func (p *policy) fits(t *tally, n, extra *node) bool { return len(p.blocks(t, n, extra)) == 0 }

// blocks are the limits that have no room for the node beside what is counted, and beside an extra node if there is one.
func (p *policy) blocks(t *tally, n, extra *node) []block {
	var full []block
	if exceeded(p.limits.concurrent, t.concurrent, t.concurrent[n.Name], n, extra) {
		full = append(full, block{kind: blockConcurrent})
	}
	for i := range p.limits.topology {
		full = append(full, p.topologyBlocks(t, i, n, extra)...)
	}
	if exceeded(p.limits.unavailable, t.unavailable, n.broken(), n, extra) {
		full = append(full, block{kind: blockUnavailable})
	}
	if p.paced() {
		starts := t.starts + 1
		if extra != nil {
			starts++
		}
		if starts > int(*p.spec.Pace.MaxStarts) {
			full = append(full, block{kind: blockPace})
		}
	}
	return full
}

// broken says that the node is out of service already. Its maintenance takes nothing more out of service, and may
// repair it.
func (n *node) broken() bool { return !n.ready && !n.joining }

// exceeded says whether a limit has no room for the node, beside an extra one if it is not nil. A node that changes
// nothing about what is counted always has room, unless nothing may start at all.
func exceeded(limit *int, counted names, changesNothing bool, n, extra *node) bool {
	switch {
	case limit == nil:
		return false
	case *limit == 0:
		return true
	default:
		return !changesNothing && more(counted, n, extra) > *limit
	}
}

// more is how many nodes there are with one that starts, and an extra one if it is not nil.
func more(counted names, n, extra *node) int {
	total := len(counted)
	if !counted[n.Name] {
		total++
	}
	if extra != nil && !counted[extra.Name] {
		total++
	}
	return total
}

func (p *policy) topologyBlocks(t *tally, i int, n, extra *node) []block {
	var full []block
	key := p.limits.topology[i].key
	domain := n.Labels[key]
	in := t.domains[i][domain]
	beside := extra
	if extra != nil && extra.Labels[key] != domain {
		beside = nil
	}
	if exceeded(p.domainLimit(i, domain), in, in[n.Name], n, beside) {
		full = append(full, block{kind: blockDomain, topology: i, domain: domain})
	}
	if limit := p.limits.topology[i].domains; limit != nil && len(in) == 0 {
		begun := len(t.domains[i]) + 1
		if extra != nil && beside == nil && len(t.domains[i][extra.Labels[key]]) == 0 {
			begun++
		}
		if begun > *limit {
			full = append(full, block{kind: blockDomains, topology: i})
		}
	}
	return full
}
