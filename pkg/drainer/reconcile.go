// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// view is what is known of one node and of those who hold it, when it is looked at.
type view struct {
	name string
	// node is nil when it does not exist.
	node *corev1.Node
	// active are the holds that count; released are being deleted.
	active, released []hold
	stage            v1beta1.MaintenanceStage
	memory           *nodeMemory
}

func (v *view) holds() []hold { return append(append([]hold(nil), v.active...), v.released...) }

// reconcile compares what the holds of the node want with what the node is, and does the next
// thing about it. It waits for no pod. It returns after how long to look again if nothing
// happens until then; zero means that only a change matters.
func (d *Drainer) reconcile(ctx context.Context, name string) (time.Duration, error) {
	v := d.look(name)
	again, expireErr := d.endExpired(ctx, v)
	next, err := d.act(ctx, v)
	return shorter(again, next), errors.Join(expireErr, err)
}

// act does the next thing that the node's holds ask for.
func (d *Drainer) act(ctx context.Context, v *view) (time.Duration, error) {
	if v.stage != v1beta1.StageDrain || v.node == nil {
		d.stopDraining(v)
	}
	switch {
	case len(v.active)+len(v.released) == 0:
		return 0, d.reclaim(ctx, v)
	case v.node == nil:
		return d.missing(ctx, v)
	case v.stage == v1beta1.StageIdle:
		return d.release(ctx, v)
	default:
		return d.hold(ctx, v)
	}
}

// look gathers what the caches know, but never anything older than our own last writes.
func (d *Drainer) look(name string) *view {
	cached := d.caches.holdsOn(name)
	v := &view{name: name, node: d.caches.node(name), memory: d.memory.of(name)}
	v.memory.keep(cached)
	maintenances := make([]*v1beta1.NodeMaintenance, 0, len(cached))
	for _, m := range cached {
		maintenances = append(maintenances, v.memory.hold(m.UID).latest.of(m))
	}
	v.active, v.released = newHolds(maintenances)
	v.stage = unionStage(v.active)
	if v.node != nil {
		v.node = v.memory.latest.of(v.node)
	}
	return v
}

// stopDraining takes the node's pods out of the queue of evictions at once.
func (d *Drainer) stopDraining(v *view) {
	d.dispatcher.cancel(v.name)
	d.pods.stop(v.name)
	gauges := v.memory.gauges
	gauges.draining, gauges.blocked = false, nil
	gauges.leftBehind = gauges.leftBehind && len(v.holds()) == 0
	v.memory.gauges.replace(gauges)
	v.memory.verdicts, v.memory.claims = nil, nil
}

// hold keeps the node out of service: what it was like is written down, it is cordoned, and its
// pods are drained, in this order.
func (d *Drainer) hold(ctx context.Context, v *view) (time.Duration, error) {
	if v.stage == v1beta1.StageDrain {
		// The pods are listed meanwhile. Those that come between list and cordon are watched.
		if err := d.pods.start(ctx, v.name); err != nil {
			return 0, err
		}
	}
	before, beforeErr := d.ensureBefore(ctx, v)
	if before == nil || againLater(beforeErr) {
		d.dispatcher.pause(v.name)
		return 0, beforeErr
	}
	// The holds that stay have it now, so those that are released need not keep it. One that
	// cannot end holds back nothing of the others.
	dropErr := d.dropFinalizers(ctx, v)
	cordoned, cordonAgain, cordonErr := d.ensureCordon(ctx, v, *before)
	var state drainState
	var drainErr error
	if cordoned {
		state, drainErr = d.drain(ctx, v)
	} else {
		// Nothing more is evicted from a node that new pods may come to.
		d.dispatcher.pause(v.name)
		if againLater(cordonErr) {
			return 0, errors.Join(beforeErr, dropErr, cordonErr)
		}
		state.cordonError = cordonErr.Error()
	}
	again, statusErr := d.saveStatuses(ctx, v, func(h hold) facts { return state.facts(h, v.node.UID, before) })
	var conditionsErr error
	if cordoned || len(ourConditions(v.node)) > 0 { // a node that was never cordoned says nothing
		conditionsErr = d.saveConditions(ctx, v.memory, v.node, wantedConditions(drainsOf(v)))
	}
	return shorter(shorter(again, cordonAgain), state.again),
		errors.Join(beforeErr, dropErr, cordonErr, drainErr, statusErr, conditionsErr)
}

// drainsOf sums up how far the drains of the node have come.
func drainsOf(v *view) nodeDrains {
	var drains nodeDrains
	for _, h := range v.active {
		if h.Spec.Stage != v1beta1.StageDrain {
			continue
		}
		drains.asked = true
		memory := v.memory.hold(h.UID)
		h.NodeMaintenance = memory.latest.of(h.NodeMaintenance)
		switch conditionReason(memory.draft.of(h), v1beta1.ConditionDrained) {
		case v1beta1.ReasonNodeEmpty:
			drains.empty = true
		case v1beta1.ReasonSelectedPodsGone:
		default:
			drains.underWay = true
		}
	}
	return drains
}

// missing says on the holds of a node that does not exist that it does not. There is nothing to
// give back, so the released ones end.
func (d *Drainer) missing(ctx context.Context, v *view) (time.Duration, error) {
	again, statusErr := d.saveStatuses(ctx, v, func(hold) facts { return facts{} })
	if len(v.released) == 0 {
		return again, statusErr
	}
	switch node, err := d.liveNode(ctx, v.name); {
	case err != nil:
		return again, errors.Join(statusErr, err)
	case node != nil:
		return again, errors.Join(statusErr, errCacheBehind)
	default:
		return again, errors.Join(statusErr, d.dropFinalizers(ctx, v))
	}
}

// saveStatuses brings the status of each active hold up to date, and returns when to try again
// what had to be put off.
func (d *Drainer) saveStatuses(ctx context.Context, v *view, of func(hold) facts) (time.Duration, error) {
	var again time.Duration
	var errs []error
	now := d.config.Clock.Now()
	for _, h := range v.active {
		memory := v.memory.hold(h.UID)
		f := of(h)
		next := nextStatus(h, memory.draft.of(h), f, now)
		if !draining(next) {
			memory.tally = tally{} // the next drain may begin before its pods are known
		}
		// A node's pods are known a moment after it is cordoned; both are told in one write.
		podsToCome := f.cordoned && f.drain == nil && h.Spec.Stage == v1beta1.StageDrain
		wait, err := d.saveStatus(ctx, h, memory, next, !podsToCome && urgent(h.Status, next))
		again, errs = shorter(again, wait), append(errs, err)
		again = shorter(again, untilLate(next, now))
		again = shorter(again, d.noteBlocked(h, memory, next, now))
	}
	return again, errors.Join(errs...)
}

// shorter is the shorter of two waits; zero means not to wait for anything.
func shorter(a, b time.Duration) time.Duration {
	if a == 0 || (b > 0 && b < a) {
		return b
	}
	return a
}
