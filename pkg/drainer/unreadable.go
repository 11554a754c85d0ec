// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// A stored hold that cannot be read counts as one whose stage is not known: its node is not given back. Which node that is,
// is known from what can be read of the hold, or else from the annotation on the node. So that annotation goes on to name it.

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

func (c nodeUnread) events() []event {
	return []event{{
		kind: corev1.EventTypeWarning, reason: eventUnreadable, node: c.node,
		message: fmt.Sprintf("node %s is not given back: the server cannot read what it has stored of NodeMaintenance %s", c.node, strings.Join(c.holds, ", ")),
	}}
}
