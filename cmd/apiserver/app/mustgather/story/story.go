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
	fromCloud  = "cloud"
	fromNode   = "node"
	fromLease  = "lease"
	fromPod    = "pod"
	fromWriter = "writer"
)

// inOrder are the sources as they tell of the same second, of which most know no part: first who asked for
// something, then what was done.
var inOrder = []string{fromAudit, fromEvent, fromHold, fromCloud, fromPod, fromLease, fromNode, fromWriter}

// entry is one thing that happened.
type entry struct {
	at time.Time
	// planned says that the time is one at which our server is to do something. It may be still to come.
	planned bool
	// node is empty if only the hold is known.
	node, hold string
	// uid is the UID of the hold: another one may have its name later. Empty if it is not known.
	uid types.UID
	// source is where it was read.
	source, text string
}

// Story collects what happened. Its zero value is not usable; see New.
type Story struct {
	now     time.Time
	entries []*entry
	// left is how many entries there was no room for.
	left  int
	holds map[holdKey]holdHead
	nodes map[string]string
	// nodeOf is the node of each hold, of ended ones too. Without a UID, it is that of the first hold of the name.
	nodeOf map[holdKey]string
	// told are the events of nodes, by what they say: the same event is written on the hold.
	told map[string][]*entry
	// podNode is the node of each pod that is there. A new pod may have the name of one that is gone.
	podNode map[types.UID]string
	// audited are the requests that were told: kube-apiserver and our server both write a line about one.
	audited map[types.UID]bool
	// NodesUnread is true if the nodes could not be read, so that nothing is known of their state.
	NodesUnread bool
	// AuditedSince leaves out audit lines of requests before it. Zero leaves out none.
	AuditedSince time.Time
}

// New returns a story that is told at a time.
func New(now time.Time) *Story {
	return &Story{
		now: now, holds: map[holdKey]holdHead{}, nodes: map[string]string{},
		nodeOf: map[holdKey]string{}, told: map[string][]*entry{}, podNode: map[types.UID]string{},
		audited: map[types.UID]bool{},
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
	e.text, e.node, e.hold = text.Escape(e.text), possible(e.node), possible(e.hold)
	s.entries = append(s.entries, &e)
	return &e
}

// inTime compares entries by when they happened. What is still to come is last: another clock may be ahead of
// ours.
func (s *Story) inTime(a, b *entry) int {
	if toCome := s.isToCome(a); toCome != s.isToCome(b) {
		if toCome {
			return 1
		}
		return -1
	}
	if order := a.at.Truncate(time.Second).Compare(b.at.Truncate(time.Second)); order != 0 {
		return order
	}
	return slices.Index(inOrder, a.source) - slices.Index(inOrder, b.source)
}

func (s *Story) isToCome(e *entry) bool { return e.planned && e.at.After(s.now) }

// byNode returns the entries of each node, in order of time. Those whose node is not known have the key "".
func (s *Story) byNode() map[string][]*entry {
	found := map[string][]*entry{}
	for _, e := range s.entries {
		node := e.node
		if node == "" {
			node = s.nodeOf[holdKey{e.hold, e.uid}]
		}
		found[node] = append(found[node], e)
	}
	for _, entries := range found {
		slices.SortStableFunc(entries, s.inTime)
	}
	return found
}
