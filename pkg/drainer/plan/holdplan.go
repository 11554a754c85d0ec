// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// holdPlan is what one hold, alone, wants of the pods of its node.
type holdPlan struct {
	hold Hold
	// decisions has one entry for each pod of the node, in their order. For a pod that no drain evicts
	// it is stay.
	decisions []decision
	// turns are the different turns of the pods that are still on the node, in order. The first is the
	// present one.
	turns []turn
	// skipped counts the pods that a drain could evict but this hold lets stay, and staying those of them that go on
	// running, and not for the hold itself.
	skipped, staying int
}

func newHoldPlan(in Input, h Hold) *holdPlan {
	plan := &holdPlan{hold: h, decisions: make([]decision, len(in.Pods))}
	for i, pod := range in.Pods {
		if !in.Drainable.Has(pod.UID) {
			continue
		}
		d := h.decide(pod, in.Namespaces)
		if d.turn.own = in.Replicas.Runs(pod); d.turn.own && d.blocks(v1beta1.BlockerEmptyDirPod) {
			d.kind, d.blocker = evict, nil // this server keeps nothing there
		}
		plan.decisions[i] = d
		if !d.goes() {
			plan.skipped++
		}
		if d.leaves(pod) {
			plan.staying++
		}
		if d.kind == evict || d.kind == block {
			plan.turns = append(plan.turns, d.turn)
		}
	}
	slices.SortFunc(plan.turns, turn.compare)
	plan.turns = slices.Compact(plan.turns)
	return plan
}

// turnOf is the number of the i-th pod's turn: 1 is the present one; 0 means that it has none.
func (p *holdPlan) turnOf(i int) int { return slices.Index(p.turns, p.decisions[i].turn) + 1 }

// due says whether the hold would evict the i-th pod now.
func (p *holdPlan) due(i int) bool { return p.decisions[i].kind == evict && p.turnOf(i) <= 1 }

// Split divides the pods that a drain could evict, as if the hold were alone. left are those that the
// hold wants gone. staying counts those that it lets stay, that go on running, and not for the hold itself.
func (h Hold) Split(pods []*corev1.Pod, drainable sets.Set[types.UID], namespaces map[string]labels.Set) (left []*corev1.Pod, staying int) {
	for _, pod := range pods {
		if !drainable.Has(pod.UID) {
			continue
		}
		switch d := h.decide(pod, namespaces); {
		case d.goes():
			left = append(left, pod)
		case d.leaves(pod):
			staying++
		}
	}
	return left, staying
}
