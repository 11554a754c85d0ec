// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// A stored hold that cannot be read counts as one whose stage is not known: its node is not given back. Which node that is,
// is known from what can be read of the hold, or else from the annotation on the node. So that annotation goes on to name it.

// unreadable is why the hold cannot be read; empty: it can.
func (h hold) unreadable() string { return v1beta1.WhyUnreadable(h.NodeMaintenance) }

// lostOn are the holds that cannot be read, not even for their node, and that the annotation of the node names, as holds on
// it. An annotation that does not name all holds may mean any of them.
func (c *caches) lostOn(name string) []*v1beta1.NodeMaintenance {
	lost := indexed[*v1beta1.NodeMaintenance](c.holds, holdsByNode, "")
	if len(lost) == 0 {
		return nil // as nearly always, and each reconcile asks
	}
	node := c.node(name)
	if node == nil {
		return nil
	}
	note := readNote(node)
	var found []*v1beta1.NodeMaintenance
	for _, hold := range lost {
		if note.More > 0 || note.entry(hold.Name) != nil {
			hold = hold.DeepCopy()
			hold.Spec.NodeName = name
			found = append(found, hold)
		}
	}
	return found
}

// entry is what the annotation says of the hold of that name; nil: nothing.
func (n holdsNote) entry(name string) *heldBy {
	if i := slices.IndexFunc(n.Holds, func(h heldBy) bool { return h.Name == name }); i >= 0 {
		return &n.Holds[i]
	}
	return nil
}

// wakeForLost puts the nodes into the queue that the hold may be on, if that cannot be read.
func (l *leader) wakeForLost(obj any) {
	hold, known := object[*v1beta1.NodeMaintenance](obj)
	if !known || hold.Spec.NodeName != "" {
		return
	}
	for _, obj := range l.watcher.caches.nodes.GetStore().List() {
		if node, isNode := obj.(*corev1.Node); isNode && annotated(node) {
			l.queue.Add(node.Name)
		}
	}
}

// nodeUnread says that holds on a node cannot be read.
type nodeUnread struct {
	node string
	// holds are their names, each with why.
	holds []string
}

// noteUnread reports, once for each set of them, which holds on the node cannot be read.
func noteUnread(v *view) result {
	var unread []string
	for _, h := range v.active {
		if why := h.unreadable(); why != "" {
			unread = append(unread, fmt.Sprintf("%s (%s)", h.Name, why))
		}
	}
	if slices.Equal(unread, v.memory.toldUnread) {
		return result{}
	}
	v.memory.toldUnread = unread
	if len(unread) == 0 {
		return result{}
	}
	return result{changes: []change{nodeUnread{node: v.name, holds: unread}}}
}

func (c nodeUnread) events() []event {
	return []event{{
		kind: corev1.EventTypeWarning, reason: eventUnreadable, node: c.node,
		message: fmt.Sprintf("node %s is not given back: the server cannot read what it has stored of NodeMaintenance %s", c.node, strings.Join(c.holds, ", ")),
	}}
}
