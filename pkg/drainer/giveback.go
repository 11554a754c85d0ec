// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"slices"

	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// giveBack gives the node back when no hold asks for it any more, and only then lets the holds
// that are being deleted end.
func (l *leader) giveBack(ctx context.Context, v *view) result {
	var did result
	if mayBeMarked(v) {
		var kept bool
		kept, did = l.takeMarksOff(ctx, v)
		if did.err != nil && !againLater(did.err) {
			did.add(l.holds.saveError(ctx, v.holds(), did.err))
		}
		if kept || did.err != nil {
			return did
		}
	}
	// The taint and the conditions only inform others. A hold ends even if they cannot be cleared.
	did.add(l.nodes.showPlanned(ctx, v, l.plannedSoon(v)))
	did.add(l.release(ctx, v, facts{node: v.node.UID}, nil))
	return did
}

// mayBeMarked says whether the node may carry our marks, so that the API server must be asked.
func mayBeMarked(v *view) bool {
	return v.marks.annotated || v.marks.tainted || len(v.ending) > 0 ||
		slices.ContainsFunc(v.active, func(h hold) bool { return h.told.NodeBefore != nil })
}

// takeMarksOff takes our marks off the node. Cordon and give-back are one patch each. So a node without
// our marks has been given back already, and somebody else cordoned it if it is cordoned. kept says that a
// gate keeps the marks on it; the holds' status says why.
func (l *leader) takeMarksOff(ctx context.Context, v *view) (kept bool, did result) {
	holds, before, err := l.refresh(ctx, v)
	if err != nil {
		return false, result{err: err}
	}
	if active, _ := split(holds); len(lasting(active)) > 0 {
		return false, result{err: errCacheBehind}
	}
	if before == nil {
		return false, result{}
	}
	verdict, err := l.gate.mayGiveBack(ctx, v.node)
	switch {
	case err != nil:
		return false, result{err: err}
	case verdict.Wait != nil:
		did = l.sayKept(ctx, v, *verdict.Wait)
		did.add(result{again: verdict.Again})
		return true, did
	default:
		return false, l.nodes.giveBack(ctx, v, *before)
	}
}

// leaveAlone deals with a node without holds. A node that carries both our marks was left behind: our
// store was restored to an older state. It is given back as its annotation says, since no hold
// says it any more. A node that another store's server has marked is not changed.
func (l *leader) leaveAlone(ctx context.Context, v *view) result {
	if err := l.confirmUnheld(ctx, v); err != nil {
		return result{err: err}
	}
	if err := l.releaseLeftBehind(ctx, v); err != nil {
		return result{err: err}
	}
	if v.node == nil {
		return result{forget: true}
	}
	did := l.nodes.markPlanned(ctx, v, false)
	if v.marks.annotated && !v.marks.tainted {
		did.forget = did.err == nil
		return did
	}
	if v.marks.annotated {
		if !v.marks.ours {
			did.add(noteLeftBehind(ctx, v))
			return did
		}
		kept, gaveBack := l.giveBackUnheld(ctx, v)
		did.add(gaveBack)
		if kept || did.err != nil {
			return did
		}
	}
	// A node that was given back must not keep our conditions. It may still have them, if they could
	// not be cleared then.
	did.add(l.nodes.saveConditions(ctx, v, nil))
	did.forget = did.err == nil
	return did
}

// giveBackUnheld gives back a node that nobody holds, unless a gate keeps it.
func (l *leader) giveBackUnheld(ctx context.Context, v *view) (kept bool, did result) {
	holds, before, err := l.refresh(ctx, v)
	switch {
	case err != nil:
		return false, result{err: err}
	case len(holds) > 0:
		return false, result{err: errCacheBehind}
	case before == nil:
		return false, result{} // it has been given back already, and only the cache does not show that
	}
	if verdict, err := l.gate.mayGiveBack(ctx, v.node); verdict.Wait != nil || err != nil {
		return verdict.Wait != nil, result{again: verdict.Again, err: err}
	}
	klog.FromContext(ctx).Info("Giving back node that nobody holds", "node", v.name)
	if did = l.nodes.giveBack(ctx, v, *before); did.err != nil {
		return false, did
	}
	v.memory.unreleased = true
	did.err = l.releaseLeftBehind(ctx, v)
	return false, did
}

// confirmUnheld asks our own server whether a node in service that a gate named has no hold. Then the gates may
// still hold something for it: the server crashed after the give-back. A node that is not in service may be in
// maintenance by another server or operator.
func (l *leader) confirmUnheld(ctx context.Context, v *view) error {
	if !v.named || (v.node != nil && (v.marks.annotated || v.marks.tainted || v.node.Spec.Unschedulable)) {
		return nil
	}
	holds, err := l.watcher.live.holdsOn(ctx, v.name)
	if err == nil && len(holds) > 0 {
		err = errCacheBehind
	}
	if err != nil {
		l.memory.name(v.name)
		return err
	}
	v.memory.unreleased = true
	return nil
}

// releaseLeftBehind calls Release of the gates for a node left behind that has been given back.
func (l *leader) releaseLeftBehind(ctx context.Context, v *view) error {
	if !v.memory.unreleased {
		return nil
	}
	return l.releaseGates(ctx, v)
}

// releaseGates calls Release of the gates. While another store's server has the node out of service, they hold
// for it, too, what they hold: so they are called when that server has given the node back.
func (l *leader) releaseGates(ctx context.Context, v *view) error {
	if v.marks.anothers && v.marks.tainted {
		v.memory.unreleased = true
		return nil
	}
	err := l.gate.release(ctx, v.name)
	v.memory.unreleased = err != nil
	return err
}

// noteLeftBehind reports, once for each annotation, that only another store's server may give the node
// back.
func noteLeftBehind(ctx context.Context, v *view) result {
	did := result{gauges: &nodeGauges{leftBehind: true}}
	if annotation := v.node.Annotations[v1beta1.HoldsAnnotation]; v.memory.toldLeftBehind != annotation {
		v.memory.toldLeftBehind = annotation
		klog.FromContext(ctx).Info("Leaving node alone that another server holds", "node", v.name, "storeID", v.marks.note.StoreID)
		did.changes = []change{nodeLeftBehind{node: v.name, storeID: v.marks.note.StoreID}}
	}
	return did
}

// nodeGone writes into the holds' status that their node does not exist. There is nothing to give back,
// so ending holds end.
func (l *leader) nodeGone(ctx context.Context, v *view) result {
	return l.release(ctx, v, facts{}, l.confirmGone(ctx, v))
}

// confirmGone asks the API server whether the node does not exist, if something depends on it: an ending hold, or
// what a gate holds. It fails when the node exists, or when that is not known.
func (l *leader) confirmGone(ctx context.Context, v *view) error {
	if len(v.ending) == 0 && !l.gate.mayHold(v.name) {
		return nil
	}
	node, err := l.watcher.live.node(ctx, v.name)
	if err == nil && node != nil {
		return errCacheBehind
	}
	return err
}

// release calls Release of the gates for a node that no longer needs them, writes the holds' statuses, and
// then lets the ending holds end. If unsure says why the node may still need them, only the statuses
// are written.
func (l *leader) release(ctx context.Context, v *view, f facts, unsure error) result {
	var did result
	err := unsure
	if err == nil {
		if err = l.releaseGates(ctx, v); err != nil {
			f.releaseError = err.Error()
			did.add(l.holds.saveError(ctx, v.ending, err))
		}
	}
	did.add(l.holds.saveStatuses(ctx, v.active, f))
	if err != nil {
		did.add(result{err: err})
		return did
	}
	did.add(l.holds.end(ctx, v))
	return did
}
