// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// union is what the holds together want of one pod.
type union struct {
	goes, undecided, due bool
	action               v1beta1.PlannedAction
	turn                 int
	gracePeriod          *int64
	why                  string
	blocker              *v1beta1.DrainBlocker
	// blocked says that a hold blocks the pod, whatever the others want.
	blocked bool
	// unheeded says that a hold evicts the pod without a rule that asks for its annotations.
	unheeded bool
}

// actionRank orders the actions that holds may want. If they want different ones, the last of them in
// this list counts.
var actionRank = []v1beta1.PlannedAction{
	v1beta1.PlanStay, v1beta1.PlanBlock, v1beta1.PlanWaitCompleted, v1beta1.PlanEvict, v1beta1.PlanDelete,
}

// union asks every hold about the i-th pod.
func (p *planner) union(i int) union {
	u := union{action: v1beta1.PlanStay}
	for _, h := range p.Holds {
		if alone := p.byHold[h.UID]; alone != nil {
			u.add(alone, i)
		}
	}
	return u
}

// add adds what one more hold wants of the i-th pod.
func (u *union) add(alone *holdPlan, i int) {
	d, gracePeriod := alone.decisions[i], alone.hold.Spec.Drain.GracePeriodSeconds
	u.goes = u.goes || d.goes()
	u.undecided = u.undecided || d.kind == undecided
	action := alone.hold.wants(d)
	u.blocked = u.blocked || d.kind == block
	u.unheeded = u.unheeded || (removes(action) && !d.heeds)
	if alone.due(i) {
		u.due = true
	}
	if alone.due(i) || action == v1beta1.PlanDelete {
		u.gracePeriod = longer(u.gracePeriod, gracePeriod)
	}
	if d.kind == evict {
		if own := alone.turnOf(i); u.turn == 0 || own < u.turn {
			u.turn = own
		}
	}
	if slices.Index(actionRank, action) >= slices.Index(actionRank, u.action) {
		u.action, u.why, u.blocker = action, d.why, d.blocker
	}
}

// wants is the action that follows from what the hold alone decided about a pod.
func (h Hold) wants(d decision) v1beta1.PlannedAction {
	switch {
	case d.kind == stay:
		return v1beta1.PlanStay
	case d.kind == block || d.kind == undecided:
		return v1beta1.PlanBlock
	case h.Deletes:
		return v1beta1.PlanDelete
	case d.kind == waitCompleted:
		return v1beta1.PlanWaitCompleted
	default:
		return v1beta1.PlanEvict
	}
}

// removes says whether the action takes the pod off the node, whatever it is doing.
func removes(action v1beta1.PlannedAction) bool {
	return action == v1beta1.PlanEvict || action == v1beta1.PlanDelete
}

func longer(a, b *int64) *int64 {
	if a == nil || (b != nil && *b > *a) {
		return b
	}
	return a
}

// deletionGrace is the grace period of a pod that is deleted after the deadline. It is at least 1
// second: with 0 the API server removes the pod at once, although it may still run.
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
