// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// result is the result of a reconcile of a node, or of one step of it.
type result struct {
	// again is after how long to reconcile again if nothing happens until then.
	again time.Duration
	// changes are what was done, for the reporter.
	changes []change
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
	var did result
	for s := next(v); s != rest; s = next(v) {
		done := deeds[s](l, ctx, v)
		v.done[s] = done.err
		did.add(done)
	}
	did.add(result{again: askAgain(v.active)})
	did.add(result{again: l.reporter.report(v.memory, did)})
	if v.forgettable() && len(v.memory.holds) == 0 { // else the cache still shows a hold that has ended
		l.memory.forget(name)
	}
	return did
}

// deeds are the steps. What one of them finds is in the view.
var deeds = map[step]func(l *leader, ctx context.Context, v *view) result{
	deleteExpired: func(l *leader, ctx context.Context, v *view) result { return l.holds.expire(ctx, v.active) },
	tellUnread:    func(_ *leader, _ context.Context, v *view) result { return noteUnread(v) },
	forgetDrain: func(l *leader, ctx context.Context, v *view) result {
		l.drains.stop(ctx, v)
		return result{gauges: &nodeGauges{}}
	},

	confirmUnheld: (*leader).confirmUnheld,
	confirmGone:   (*leader).confirmGone,
	readNode:      (*leader).readNode,

	unmarkPlanned: func(l *leader, ctx context.Context, v *view) result { return l.nodes.markPlanned(ctx, v, false) },
	showPlanned: func(l *leader, ctx context.Context, v *view) result {
		return l.nodes.showPlanned(ctx, v, l.plannedSoon(v))
	},
	askKeepers:      (*leader).askKeepers,
	giveNodeBack:    func(l *leader, ctx context.Context, v *view) result { return l.nodes.giveBack(ctx, v) },
	releaseGates:    (*leader).releaseGates,
	tellLeftBehind:  func(_ *leader, ctx context.Context, v *view) result { return noteLeftBehind(ctx, v) },
	clearConditions: func(l *leader, ctx context.Context, v *view) result { return l.nodes.saveConditions(ctx, v, nil) },

	watchPods: func(l *leader, ctx context.Context, v *view) result {
		return result{err: l.drains.pods.start(ctx, v.name)}
	},
	recordBefore: (*leader).record,
	askGates:     (*leader).askGates,
	cordonNode:   (*leader).cordon,
	drainNode: func(l *leader, ctx context.Context, v *view) (did result) {
		v.drain, did = l.drains.drain(ctx, v)
		return did
	},
	pauseDrain: func(l *leader, ctx context.Context, v *view) result {
		l.drains.pause(ctx, v.name)
		return result{}
	},

	saveStatuses: func(l *leader, ctx context.Context, v *view) result {
		did := l.holds.saveStatuses(ctx, v.active, v.facts())
		v.statuses = did.statuses
		return did
	},
	saveConditions: func(l *leader, ctx context.Context, v *view) result {
		return l.nodes.saveConditions(ctx, v, wantedConditions(v.statuses))
	},
	sayUnanswered: func(l *leader, ctx context.Context, v *view) result {
		holding := slices.DeleteFunc(slices.Clone(v.active), func(h hold) bool { return !h.cordons() })
		return l.holds.saveError(ctx, holding, v.done[askGates])
	},
	sayNotGiven: func(l *leader, ctx context.Context, v *view) result {
		return l.holds.saveError(ctx, v.holds(), v.failure(readNode, askKeepers, giveNodeBack))
	},
	sayNotReleased: func(l *leader, ctx context.Context, v *view) result {
		return l.holds.saveError(ctx, v.ending, v.done[releaseGates])
	},
	sayKept:    func(l *leader, ctx context.Context, v *view) result { return l.holds.sayKept(ctx, v) },
	sayUnknown: func(l *leader, ctx context.Context, v *view) result { return l.holds.sayUnknown(ctx, v) },
	endHolds: func(l *leader, ctx context.Context, v *view) result {
		if len(v.ending) > 0 {
			l.drains.dispatcher.Pause(v.name) // what only they want must not be evicted once they are gone
		}
		return l.holds.end(ctx, v)
	},
	saveReleased: func(l *leader, ctx context.Context, v *view) result {
		return l.holds.saveStatuses(ctx, v.released, facts{})
	},
}

// errCacheBehind says that our caches are older than what the API server has returned. They catch up
// soon.
var errCacheBehind = errors.New("the cache is behind the API server")

// againLater says whether an error means only that what we know of our own objects, or of the
// node, is old: the watch brings the newer version.
func againLater(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || errors.Is(err, errCacheBehind)
}
