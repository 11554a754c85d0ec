// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// takeOut takes the node out of service, and keeps it out: what it was like before is recorded, it
// is cordoned, and its pods are drained, in this order.
func (l *leader) takeOut(ctx context.Context, v *view) result {
	if v.stage() == v1beta1.StageDrain {
		// The pods are listed while the node is cordoned. The watch shows pods that come in between.
		if err := l.drains.pods.start(ctx, v.name); err != nil {
			return result{err: err}
		}
	}
	f, did := l.secure(ctx, v)
	if f.cordoned {
		drain, step := l.drains.drain(ctx, v)
		f.drain = drain
		did.add(step)
	} else {
		// Nothing more is evicted from a node that new pods may come to.
		l.drains.pause(ctx, v.name)
	}
	if f.before == nil {
		return did
	}
	saved := l.holds.saveStatuses(ctx, v.active, f)
	did.add(saved)
	if f.cordoned || saysInMaintenance(v.node) { // a node that was never cordoned gets no conditions
		did.add(l.nodes.saveConditions(ctx, v, wantedConditions(saved.statuses)))
	}
	return did
}

// secure records what the node was like before, asks the gates, and cordons the node unless a gate
// makes it wait. If the facts have no before, there is nothing to write into a status yet, and the node
// is looked at again.
func (l *leader) secure(ctx context.Context, v *view) (facts, result) {
	before, did := l.record(ctx, v)
	if before == nil || againLater(did.err) {
		return facts{}, did
	}
	// At least one hold that stays has the record now, so ending holds need not keep it. An ending hold that
	// cannot end does not stop the others. What only they want must not be evicted once they are gone.
	if len(v.ending) > 0 {
		l.drains.dispatcher.Pause(v.name)
	}
	did.add(l.holds.end(ctx, v))
	f := facts{node: v.node.UID, before: before}
	verdict, err := l.gate.acquire(ctx, v)
	did.add(result{again: verdict.Again})
	step := result{err: err}
	switch {
	case verdict.Wait != nil:
		f.waits = verdict.Wait
	case err != nil && (v.marks.annotated || slices.ContainsFunc(v.active, v.carriesImported)):
		did.add(l.unanswered(ctx, v, err))
		return facts{}, did
	case err == nil:
		f.cordoned, step = l.nodes.cordon(ctx, v, *before)
	}
	did.add(step)
	switch {
	case f.cordoned || f.waits != nil:
	case againLater(step.err):
		return facts{}, did
	default:
		f.cordonError = step.err.Error()
	}
	return f, did
}

// unanswered deals with a node in maintenance for which a gate gave no answer. That says nothing of the node, so
// the statuses of its holds stay as they are, and only name the error.
func (l *leader) unanswered(ctx context.Context, v *view, cause error) result {
	did := result{err: cause}
	if againLater(cause) {
		return did
	}
	holding := slices.DeleteFunc(slices.Clone(v.active), func(h hold) bool { return !h.cordons() })
	did.add(l.holds.saveError(ctx, holding, cause))
	return did
}
