// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
	"github.com/medik8s/maintenance-apiserver/pkg/fleet/decision"
)

// passing is a node that was let pass without an entry in the ledger, and that may be cordoned at any moment. The first
// policy for it must count it, although the caches may not show its cordon yet.
type passing struct {
	node types.UID
	// holds are those that it was let pass for.
	holds map[types.UID]struct{}
	// look is closed when the look of the drainer is over for which it was let pass last.
	look <-chan struct{}
}

// pass notes that a node was let pass for a hold without an entry.
func (t *term) pass(ctx context.Context, node *corev1.Node, hold *v1beta1.NodeMaintenance) {
	if nodemarks.Marked(node) {
		return // everybody can see it
	}
	now := t.passed[node.Name]
	if now.node != node.UID {
		now = passing{node: node.UID, holds: map[types.UID]struct{}{}}
	}
	now.holds[hold.UID], now.look = struct{}{}, ctx.Done()
	t.passed[node.Name] = now
}

// showPassed has the facts show the cordons of nodes that were let pass. It forgets those that the caches show, and those
// that nobody is going to cordon.
func (t *term) showPassed(facts *decision.Facts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.passed) == 0 {
		return
	}
	for i, node := range facts.Nodes {
		passing, found := t.passed[node.Name]
		if !found || passing.node != node.UID || passing.over(facts) {
			delete(t.passed, node.Name)
			continue
		}
		shown := passing.begin(facts)
		if !nodemarks.Marked(node) {
			facts.Nodes[i] = cordoned(node)
		} else if shown {
			delete(t.passed, node.Name)
		}
	}
}

// over says whether the holds are gone, and the drainer does not act on them any more.
func (p passing) over(facts *decision.Facts) bool {
	return isOver(p.look) && !slices.ContainsFunc(facts.Holds, func(hold *v1beta1.NodeMaintenance) bool {
		_, passed := p.holds[hold.UID]
		return passed
	})
}

// begin has the facts show that the holds have begun, and says whether the caches show it already. Their status says so
// before the node is let pass.
func (p passing) begin(facts *decision.Facts) (shown bool) {
	shown = true
	for i, hold := range facts.Holds {
		if _, passed := p.holds[hold.UID]; !passed || hold.Status.NodeBefore != nil {
			continue
		}
		begun := hold.DeepCopy()
		begun.Status.NodeUID, begun.Status.NodeBefore = p.node, &v1beta1.NodeBefore{}
		facts.Holds[i], shown = begun, false
	}
	return shown
}

func cordoned(node *corev1.Node) *corev1.Node {
	shown := node.DeepCopy()
	shown.Spec.Unschedulable = true
	shown.Spec.Taints = append(slices.Clone(shown.Spec.Taints), corev1.Taint{Key: v1beta1.DrainTaint, Effect: corev1.TaintEffectNoSchedule})
	return shown
}
