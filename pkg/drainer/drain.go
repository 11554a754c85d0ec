// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// drainPoll has a node under drain looked at now and then even when nothing was seen to
// happen.
const drainPoll = time.Minute

// drainState is how far the drain of a node has come.
type drainState struct {
	// byHold is nil while the node's pods are not known.
	byHold map[types.UID]*drainFacts
	// cordonError is why there is no drain: the node could not be cordoned; empty when it could.
	cordonError string
	// lastError is what went wrong; empty when nothing did.
	lastError string
	again     time.Duration
}

func (s drainState) facts(h hold, node types.UID, before *v1beta1.NodeBefore) facts {
	f := facts{
		node: node, before: before, cordoned: s.cordonError == "", cordonError: s.cordonError,
		drain: s.byHold[h.UID], lastError: s.lastError,
	}
	if h.invalid != nil {
		f.lastError = h.invalid.Error()
	}
	if f.lastError == "" && f.drain != nil {
		f.lastError = failedEviction(f.drain.blockers)
	}
	return f
}

// drain has the pods of the node evicted that its holds want gone, as the plan says.
func (d *Drainer) drain(ctx context.Context, v *view) (drainState, error) {
	if v.stage != v1beta1.StageDrain {
		return drainState{}, nil
	}
	pods, listed := d.pods.pods(v.name)
	if !listed {
		// We are called when they are, or cannot be. The watch itself tries again.
		var state drainState
		if err := d.pods.failure(v.name); err != nil {
			state.lastError = err.Error()
		}
		return state, nil
	}
	drainable, known, err := d.selector.drainableKnowing(ctx, v.name, pods, v.memory.verdicts)
	v.memory.verdicts = known
	d.expire(v)
	plan := makePlan(d.planInput(v.node, v.active, pods, drainable))
	d.dispatcher.want(v.name, plan.evictions(), plan.toGo(), pods)
	v.memory.gauges.replace(plan.gauges())
	state := d.assess(v, plan)
	volumes, volumesErr := d.attachedVolumes(ctx, v, plan)
	for _, f := range state.byHold {
		f.volumes, f.volumesUnknown = volumes, volumesErr != nil
	}
	if err == nil {
		err = d.verify(ctx, v, &state)
	}
	if err != nil {
		d.keepWord(v, state)
	}
	if err = errors.Join(err, volumesErr); err != nil {
		state.lastError = err.Error()
	}
	return state, err
}

// keepWord leaves what a hold said that was drained and shows no pod, where that could not be confirmed
// for what it asks now.
func (d *Drainer) keepWord(v *view, state drainState) {
	for _, h := range v.active {
		f, old := state.byHold[h.UID], v.memory.hold(h.UID).draft.of(h)
		if f != nil && !f.empty && len(f.pending) == 0 && drained(old) && !staysDrained(h, old, 0) {
			delete(state.byHold, h.UID)
		}
	}
}

// planInput is what a plan for the node is made from.
func (d *Drainer) planInput(node *corev1.Node, holds []hold, pods []*corev1.Pod, drainable sets.Set[types.UID]) planInput {
	return planInput{
		node: node.Name, nodeDead: nodeDead(node), pods: pods, drainable: drainable, holds: holds, namespaces: d.caches,
		budgets: d.budgets, attempts: d.dispatcher.tried(node.Name), ownPod: d.config.OwnPod, now: d.config.Clock.Now(),
	}
}

// expire marks the holds that are past a deadline at which what is left is deleted.
func (d *Drainer) expire(v *view) {
	now := d.config.Clock.Now()
	for i, h := range v.active {
		v.active[i].expired = h.deletesAt(now, v.memory.hold(h.UID).draft.of(h))
	}
}

// assess says how far the drain has come for each hold that drains, judged as if alone.
func (d *Drainer) assess(v *view, plan nodePlan) drainState {
	state := drainState{byHold: map[types.UID]*drainFacts{}}
	if !plan.recheck.IsZero() {
		state.again = max(plan.recheck.Sub(d.config.Clock.Now()), time.Millisecond)
	}
	for _, h := range v.active {
		if h.Spec.Stage != v1beta1.StageDrain {
			continue
		}
		memory := v.memory.hold(h.UID)
		f, pending := plan.factsFor(h)
		f.evictions = memory.tally.count(memory.draft.of(h), pending)
		state.byHold[h.UID] = f
		if len(pending) > 0 {
			state.again = shorter(state.again, wait.Jitter(drainPoll, backoffJitter))
		}
	}
	return state
}

// factsFor is what the plan says of the pods that the hold drains.
func (p nodePlan) factsFor(h hold) (*drainFacts, []*corev1.Pod) {
	alone := p.byHold[h.UID]
	f := &drainFacts{total: len(p.pods), leaves: alone.leaves, deletes: h.expired}
	var pending []*corev1.Pod
	for i, pod := range p.pods {
		if !alone.pods[i].goes() {
			continue
		}
		pending = append(pending, pod.pod)
		f.pending = append(f.pending, podKey(pod.pod))
		if blocker := pod.blockerOf(alone, i); blocker != nil {
			f.blockers = append(f.blockers, boundedBlocker(*blocker))
		}
	}
	slices.Sort(f.pending)
	slices.SortFunc(f.blockers, func(a, b v1beta1.DrainBlocker) int { return cmp.Compare(a.Pod, b.Pod) })
	return f, pending
}

// blockerOf is what keeps the pod from leaving as far as the one hold goes: a pod whose turn
// is yet to come is not blocked.
func (p podPlan) blockerOf(alone *holdPlan, i int) *v1beta1.DrainBlocker {
	t := alone.pods[i]
	switch p.action {
	case v1beta1.PlanTerminating, v1beta1.PlanDelete:
		return p.blocker
	}
	switch {
	case t.blocker != nil:
		return t.blocker
	case p.action == v1beta1.PlanEvict && !alone.due(i):
		return nil
	default:
		return p.blocker
	}
}

// gauges are the node's share of the metrics.
func (p nodePlan) gauges() nodeGauges {
	g := nodeGauges{blocked: map[v1beta1.BlockerReason]int{}}
	for _, pod := range p.pods {
		g.draining = g.draining || pod.action != v1beta1.PlanStay
		if pod.blocker != nil {
			g.blocked[pod.blocker.Reason]++
		}
	}
	return g
}

// failedEviction is the message of the first eviction that failed for no reason that will pass
// by itself.
func failedEviction(blockers []v1beta1.DrainBlocker) string {
	for _, b := range blockers {
		if b.Reason == v1beta1.BlockerEvictionFailed {
			return fmt.Sprintf("could not evict pod %s: %s", b.Pod, b.Message)
		}
	}
	return ""
}
