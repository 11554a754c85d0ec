// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// holdPlan is what one hold, alone, wants of the pods of its node.
type holdPlan struct {
	hold hold
	// pods are in the order of the node's; one that no drain evicts is left.
	pods []treatment
	// turns are those that pods of the node still have, the present one first.
	turns []turn
	// leaves is how many pods a drain could evict, but the hold leaves.
	leaves int
}

func newHoldPlan(in planInput, h hold) *holdPlan {
	plan := &holdPlan{hold: h, pods: make([]treatment, len(in.pods))}
	for i, pod := range in.pods {
		if !in.drainable.Has(pod.UID) {
			continue
		}
		t := h.treats(pod, in.namespaces)
		plan.pods[i] = t
		if !t.goes() {
			plan.leaves++
		}
		// Our own pod never goes, and nobody waits for it.
		if (t.kind == evict || t.kind == block) && !isOwnPod(in.ownPod, pod) {
			plan.turns = append(plan.turns, t.turn)
		}
	}
	slices.SortFunc(plan.turns, turn.compare)
	plan.turns = slices.Compact(plan.turns)
	return plan
}

// turnOf counts, from 1, the turns until that of the pod's, which it has.
func (p *holdPlan) turnOf(i int) int { return slices.Index(p.turns, p.pods[i].turn) + 1 }

// due says whether the hold would evict the pod now.
func (p *holdPlan) due(i int) bool { return p.pods[i].kind == evict && p.turnOf(i) <= 1 }

// union is what the holds together want of one pod.
type union struct {
	goes, undecided, due bool
	action               v1beta1.PlannedAction
	turn                 int
	gracePeriod          *int64
	why                  string
	blocker              *v1beta1.DrainBlocker
}

// actionRank orders what the holds may want of a pod: the union wants the most.
var actionRank = []v1beta1.PlannedAction{
	v1beta1.PlanStay, v1beta1.PlanBlock, v1beta1.PlanWaitCompleted, v1beta1.PlanEvict, v1beta1.PlanDelete,
}

// union asks every hold about the i-th pod.
func (p *planner) union(i int) union {
	u := union{action: v1beta1.PlanStay}
	for _, h := range p.holds {
		alone := p.byHold[h.UID]
		if alone == nil {
			continue
		}
		t := alone.pods[i]
		u.goes = u.goes || t.goes()
		u.undecided = u.undecided || t.kind == undecided
		if due := alone.due(i); due {
			u.due = true
			u.gracePeriod = longer(u.gracePeriod, h.Spec.Drain.GracePeriodSeconds)
		}
		if t.kind == evict {
			if own := alone.turnOf(i); u.turn == 0 || own < u.turn {
				u.turn = own
			}
		}
		action := h.wants(t)
		if slices.Index(actionRank, action) >= slices.Index(actionRank, u.action) {
			u.action, u.why, u.blocker = action, t.why, t.blocker
		}
		if action == v1beta1.PlanDelete {
			u.gracePeriod = longer(u.gracePeriod, h.Spec.Drain.GracePeriodSeconds)
		}
	}
	return u
}

// wants is what the hold alone would have happen to a pod that it treats so.
func (h hold) wants(t treatment) v1beta1.PlannedAction {
	switch {
	case t.kind == leave:
		return v1beta1.PlanStay
	case t.kind == block || t.kind == undecided:
		return v1beta1.PlanBlock
	case h.expired:
		return v1beta1.PlanDelete
	case t.kind == waitCompleted:
		return v1beta1.PlanWaitCompleted
	default:
		return v1beta1.PlanEvict
	}
}

func longer(a, b *int64) *int64 {
	if a == nil || (b != nil && *b > *a) {
		return b
	}
	return a
}

// deletionGrace is how long a pod that is deleted past the deadline gets to stop: at least a
// second, since with none its end would not be waited for.
func deletionGrace(pod *corev1.Pod, asked *int64) *int64 {
	if asked == nil {
		asked = pod.Spec.TerminationGracePeriodSeconds
	}
	if asked == nil || *asked >= 1 {
		return asked
	}
	least := int64(1)
	return &least
}

// whyNotDrainable says why no drain evicts the pod.
func whyNotDrainable(pod *corev1.Pod) string {
	switch _, isMirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; {
	case isMirror:
		return "a static pod: it belongs to the node"
	case ofDaemonSet(pod):
		return "a pod of a DaemonSet: it belongs to the node"
	default:
		return "no drain evicts such a pod"
	}
}

// drainedBy are the pods, of those that a drain evicts, that the hold wants gone; of the others
// leaves is the number.
func (h hold) drainedBy(pods []*corev1.Pod, drainable sets.Set[types.UID], namespaces namespaceReader) (gone []*corev1.Pod, leaves int) {
	for _, pod := range pods {
		switch {
		case !drainable.Has(pod.UID):
		case h.treats(pod, namespaces).goes():
			gone = append(gone, pod)
		default:
			leaves++
		}
	}
	return gone, leaves
}
