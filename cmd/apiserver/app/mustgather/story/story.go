// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package story tells what happened to each node in maintenance, and when. It merges what events, objects
// and audit logs say. It makes no request.
package story

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/text"
)

// maxEntries bounds the story's memory.
const maxEntries = 20_000

// Where an entry was read.
const (
	fromAudit  = "audit"
	fromEvent  = "event"
	fromHold   = "hold"
	fromNode   = "node"
	fromLease  = "lease"
	fromPod    = "pod"
	fromWriter = "writer"
)

// inOrder are the sources as they tell of the same second, of which most know no part: first who asked for
// something, then what was done.
var inOrder = []string{fromAudit, fromEvent, fromHold, fromPod, fromLease, fromNode, fromWriter}

// entry is one thing that happened.
type entry struct {
	at time.Time
	// node is empty if only the hold is known.
	node, hold string
	// source is where it was read.
	source, text string
}

// Story collects what happened. Its zero value is not usable; see New.
type Story struct {
	now     time.Time
	entries []*entry
	// left is how many entries there was no room for.
	left  int
	holds map[string]holdHead
	nodes map[string]string
	// nodeOf is the node of each hold, of ended ones too.
	nodeOf map[string]string
	// told are the events of nodes, by what they say: the same event is written on the hold.
	told map[string][]*entry
	// podNode is the node of each pod that is there. A new pod may have the name of one that is gone.
	podNode map[types.UID]string
	// NodesUnread is true if the nodes could not be read, so that nothing is known of their state.
	NodesUnread bool
}

// New returns a story that is told at a time.
func New(now time.Time) *Story {
	return &Story{
		now: now, holds: map[string]holdHead{}, nodes: map[string]string{},
		nodeOf: map[string]string{}, told: map[string][]*entry{}, podNode: map[types.UID]string{},
	}
}

func (s *Story) add(e entry) *entry {
	if e.at.IsZero() {
		return nil
	}
	if len(s.entries) >= maxEntries {
		s.left++
		return nil
	}
	e.text = text.Escape(e.text)
	s.entries = append(s.entries, &e)
	return &e
}

func inTime(a, b *entry) int {
	if order := a.at.Truncate(time.Second).Compare(b.at.Truncate(time.Second)); order != 0 {
		return order
	}
	return slices.Index(inOrder, a.source) - slices.Index(inOrder, b.source)
}

// byNode returns the entries of each node, in order of time. Those whose node is not known have the key "".
func (s *Story) byNode() map[string][]*entry {
	found := map[string][]*entry{}
	for _, e := range s.entries {
		node := e.node
		if node == "" {
			node = s.nodeOf[e.hold]
		}
		found[node] = append(found[node], e)
	}
	for _, entries := range found {
		slices.SortStableFunc(entries, inTime)
	}
	return found
}
