// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/controlplane"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// Members returns the names of all members of the control plane if the node is one; else none. While the nodes
// are not known it returns none: the gate decides later.
func (g *Guard) Members(node string) []string {
	if found, err := g.cluster.Node(node); err != nil || found == nil || !controlplane.Member(found) {
		return nil
	}
	nodes, err := g.cluster.Nodes()
	if err != nil {
		return nil
	}
	var names []string
	for _, member := range outside(nodes, readiness) {
		names = append(names, member.Name)
	}
	return names
}

// Check says whether a hold on a member may be created. The annotations are those of the hold: they may say that it is
// imported from an operator that has the member out of service already. held says of each member for which a hold is
// stored whose it is. If it may not, the message says why, and what to do. If it may, the message is a warning, or
// empty. Check fails when etcd's budget cannot be read.
func (g *Guard) Check(
	ctx context.Context, node string, override bool, annotations, held map[string]string,
) (may bool, message string, err error) {
	nodes, err := g.cluster.Nodes()
	if err != nil {
		return false, "", fmt.Errorf("could not count the members of the control plane: %w", err)
	}
	decision := Decide(node, outside(nodes, func(n *corev1.Node) string {
		if n.Name == node && holdstatus.OutBeforeImport(n, annotations) {
			return inMaintenance
		}
		return g.askedFor(n, held[n.Name])
	}))
	switch {
	case override:
		return true, decision.overridden(), nil
	case !decision.Allowed():
		return false, decision.refusal(), nil
	case decision.taken():
		return true, "", nil
	}
	objection, err := g.etcd.objection(ctx, node)
	if objection == "" || err != nil {
		return err == nil, "", err
	}
	return false, refused(node, objection, "try again later; to take it all the same, "+howToOverride), nil
}

// askedFor says why a member counts as out for a new hold. holders are those of the stored holds that want it.
func (g *Guard) askedFor(node *corev1.Node, holders string) string {
	switch {
	case holders != "":
		return "held by " + holders
	case nodemarks.Marked(node) || g.hasTaken(node):
		return inMaintenance
	default:
		return readiness(node)
	}
}

func (g *Guard) hasTaken(node *corev1.Node) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.answered(node) == taken
}
