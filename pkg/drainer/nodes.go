// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
)

var errNodesUnknown = errors.New("the nodes of the cluster are not known yet")

// HasNode says whether the cluster has a node of that name. While that is not known yet it
// says yes.
func (d *Drainer) HasNode(name string) bool {
	return !d.caches.nodes.HasSynced() || d.caches.node(name) != nil
}

// Node returns what is cached of a node: its name, labels, taints, conditions and whether it is
// schedulable; nil when there is none. It is not to be changed. It fails while the nodes are not
// known.
func (d *Drainer) Node(name string) (*corev1.Node, error) {
	if !d.caches.nodes.HasSynced() {
		return nil, errNodesUnknown
	}
	return d.caches.node(name), nil
}

// Nodes returns what is cached of all nodes, in no order. See Node.
func (d *Drainer) Nodes() ([]*corev1.Node, error) {
	if !d.caches.nodes.HasSynced() {
		return nil, errNodesUnknown
	}
	listed := d.caches.nodes.GetStore().List()
	nodes := make([]*corev1.Node, 0, len(listed))
	for _, object := range listed {
		if node, isNode := object.(*corev1.Node); isNode {
			nodes = append(nodes, node)
		}
	}
	return nodes, nil
}
