// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
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
	// forget says that nothing need be kept of the node.
	forget bool
	err    error
}

// add adds the result of a further step.
func (r *result) add(step result) {
	r.again = due.Sooner(r.again, step.again)
	r.changes = append(r.changes, step.changes...)
	r.statuses = append(r.statuses, step.statuses...)
	r.err = errors.Join(r.err, step.err)
	r.forget = r.forget || step.forget
	if step.gauges != nil {
		r.gauges = step.gauges
	}
}

// reconcile compares what the holds of the node want with what the node is, does what is to be done
// next, and reports it. It waits for no pod.
func (l *leader) reconcile(ctx context.Context, name string) result {
	v := l.look(name)
	did := l.holds.expire(ctx, v.active)
	did.add(noteUnread(v))
	did.add(l.act(ctx, v))
	did.add(l.holds.saveStatuses(ctx, v.released, facts{}))
	did.add(result{again: askAgain(v.active)})
	did.add(result{again: l.reporter.report(v.memory, did)})
	if did.forget && len(v.memory.holds) == 0 { // else the cache still shows a hold that has ended
		l.memory.forget(name)
	}
	return did
}

// act does what is to be done next for the node's holds.
func (l *leader) act(ctx context.Context, v *view) result {
	var did result
	if v.stage() != v1beta1.StageDrain || v.node == nil {
		l.drains.stop(ctx, v)
		did.gauges = &nodeGauges{}
	}
	switch {
	case len(v.holds()) == 0:
		did.add(l.leaveAlone(ctx, v))
	case v.node == nil:
		did.add(l.nodeGone(ctx, v))
	case !v.kept():
		did.add(l.giveBack(ctx, v))
	case v.stage() == v1beta1.StageIdle:
		did.add(l.leaveAsItIs(ctx, v))
	default:
		did.add(l.takeOut(ctx, v))
	}
	return did
}

// errCacheBehind says that our caches are older than what the API server has returned. They catch up
// soon.
var errCacheBehind = errors.New("the cache is behind the API server")

// againLater says whether an error means only that what we know of our own objects, or of the
// node, is old: the watch brings the newer version.
func againLater(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || errors.Is(err, errCacheBehind)
}
