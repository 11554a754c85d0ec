// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// result is the result of a reconcile of a node, or of one step of it.
type result struct {
	// again is the time after which to reconcile again if nothing happens until then.
	again time.Duration
	// changes are what was done, for the reporter.
	changes []holdstatus.Change
	// statuses are the present statuses of the holds, written or not.
	statuses []holdStatus
	// gauges are the node's share of the gauges; nil: no change.
	gauges *nodeGauges
	err    error
}

// add adds the result of a further step.
func (r *result) add(step result) {
	r.again = due.Sooner(r.again, step.again)
	r.changes = append(r.changes, step.changes...)
	r.statuses = append(r.statuses, step.statuses...)
	r.err = errors.Join(r.err, step.err)
	if step.gauges != nil {
		r.gauges = step.gauges
	}
}

// reconcile compares what the holds of the node want with what the node is, does one step after the other
// until nothing more is to be done, and reports it. It waits for no pod.
func (l *leader) reconcile(ctx context.Context, name string) result {
	v := l.look(name)
	did := result{again: v.Again}
	for s := next(v); s != rest; s = next(v) {
		done := l.does[s](ctx, v)
		v.done[s] = done.err
		did.add(done)
	}
	did.add(result{again: l.reporter.report(v.memory, did)})
	return did
}

// deed is the doing of a step. What it finds is in the view.
type deed func(ctx context.Context, v *view) result

// deeds say who does which step.
func (l *leader) deeds() map[step]deed {
	return map[step]deed{
		readNode:      l.readNode,
		confirmGone:   l.confirmGone,
		confirmUnheld: l.confirmUnheld,
		forgetNode:    l.memory.forget,

		askGates:     l.gate.ask,
		askKeepers:   l.gate.askKeepers,
		releaseGates: l.gate.release,

		deleteExpired:  l.holds.expire,
		recordBefore:   l.holds.record,
		endHolds:       l.holds.end,
		saveStatuses:   l.holds.say,
		saveReleased:   l.holds.sayReleased,
		sayUnanswered:  l.holds.sayUnanswered,
		sayNotGiven:    l.holds.sayNotGiven,
		sayNotReleased: l.holds.sayNotReleased,
		sayKept:        l.holds.sayKept,
		sayUnknown:     l.holds.sayUnknown,

		cordonNode:     l.nodes.cordon,
		giveNodeBack:   l.nodes.giveBack,
		showPlanned:    l.nodes.showPlanned,
		saveConditions: l.nodes.saveConditions,

		watchPods:   l.drains.watch,
		pauseDrain:  l.drains.pause,
		holdBack:    l.drains.holdBack,
		forgetDrain: l.drains.stop,
		drainNode:   l.drains.drain,

		tellUnread:     noteUnread,
		tellLeftBehind: noteLeftBehind,
	}
}

// errCacheBehind says that our caches are older than what the API server has returned. They catch up
// soon.
var errCacheBehind = errors.New("the cache is behind the API server")

// againLater says whether an error means only that what we know of our own objects, or of the
// node, is old: the watch brings the newer version.
func againLater(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || errors.Is(err, errCacheBehind)
}
