// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// holdPlan is what one hold, alone, wants of the pods of its node.
type holdPlan struct {
	hold Hold
	// decisions are in the order of the node's pods; a pod that no drain evicts is left.
	decisions []decision
	// turns are those that pods of the node still have, the present one first.
	turns []turn
	// leaves is how many pods a drain could evict, but the hold leaves.
	leaves int
}

func newHoldPlan(in Input, h Hold) *holdPlan {
	plan := &holdPlan{hold: h, decisions: make([]decision, len(in.Pods))}
	for i, pod := range in.Pods {
		if !in.Drainable.Has(pod.UID) {
			continue
		}
		d := h.decide(pod, in.Namespaces)
		plan.decisions[i] = d
		if !d.goes() {
			plan.leaves++
		}
		// Our own pod never goes, and nobody waits for it.
		if (d.kind == evict || d.kind == block) && !in.isOwn(pod) {
			plan.turns = append(plan.turns, d.turn)
		}
	}
	slices.SortFunc(plan.turns, turn.compare)
	plan.turns = slices.Compact(plan.turns)
	return plan
}

// turnOf counts, from 1, the turns until that of the i-th pod.
func (p *holdPlan) turnOf(i int) int { return slices.Index(p.turns, p.decisions[i].turn) + 1 }

// due says whether the hold would evict the i-th pod now.
func (p *holdPlan) due(i int) bool { return p.decisions[i].kind == evict && p.turnOf(i) <= 1 }

// Split divides the pods that a drain evicts, alone for this hold: left are those that it wants
// gone and that are still there; leaves is how many it leaves.
func (h Hold) Split(pods []*corev1.Pod, drainable sets.Set[types.UID], namespaces map[string]labels.Set) (left []*corev1.Pod, leaves int) {
	for _, pod := range pods {
		switch {
		case !drainable.Has(pod.UID):
		case h.decide(pod, namespaces).goes():
			left = append(left, pod)
		default:
			leaves++
		}
	}
	return left, leaves
}
