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
		did = l.takeMarksOff(ctx, v)
		if did.err != nil && !againLater(did.err) {
			did.add(l.holds.saveError(ctx, v.holds(), did.err))
		}
		if did.err != nil {
			return did
		}
	}
	// The conditions inform others, no more: a failure to clear them keeps no hold from ending.
	did.add(l.nodes.saveConditions(ctx, v, nil))
	did.add(l.release(ctx, v, facts{node: v.node.UID}))
	return did
}

// mayBeMarked says whether there is anything to ask the API server about.
func mayBeMarked(v *view) bool {
	return v.marks.annotated || v.marks.tainted || len(v.ending) > 0 ||
		slices.ContainsFunc(v.active, func(h hold) bool { return h.Status.NodeBefore != nil })
}

// takeMarksOff takes our marks off the node. Cordon and give-back each are one patch, so a node
// without our marks has been given back already, and a cordon that it has since is another's.
func (l *leader) takeMarksOff(ctx context.Context, v *view) result {
	holds, before, err := l.refresh(ctx, v)
	if err != nil {
		return result{err: err}
	}
	if active, _ := split(holds); highestStage(active) != v1beta1.StageIdle {
		return result{err: errCacheBehind}
	}
	if before == nil {
		return result{}
	}
	return l.nodes.giveBack(ctx, v, *before)
}

// leaveAlone deals with a node that nobody holds. One that carries both our marks was left behind,
// by a store that was lost or put back to an older state: it is given back as its annotation
// says, since nothing else is left to say it. One that another store's server marked is not ours
// to touch.
func (l *leader) leaveAlone(ctx context.Context, v *view) result {
	if err := l.releaseLeftBehind(ctx, v); err != nil {
		return result{err: err}
	}
	if v.node == nil || (v.marks.annotated && !v.marks.tainted) {
		return result{forget: true}
	}
	var did result
	if v.marks.annotated {
		if !v.marks.ours {
			return noteLeftBehind(ctx, v)
		}
		if did = l.giveBackLeftBehind(ctx, v); did.err != nil {
			return did
		}
	}
	// A node that was given back says no more that it is in maintenance, even if that could not be
	// taken back at the time.
	did.add(l.nodes.saveConditions(ctx, v, nil))
	did.forget = did.err == nil
	return did
}

func (l *leader) giveBackLeftBehind(ctx context.Context, v *view) result {
	holds, before, err := l.refresh(ctx, v)
	switch {
	case err != nil:
		return result{err: err}
	case len(holds) > 0:
		return result{err: errCacheBehind}
	}
	var did result
	if before != nil {
		klog.FromContext(ctx).Info("Giving back node that nobody holds", "node", v.name)
		if did = l.nodes.giveBack(ctx, v, *before); did.err != nil {
			return did
		}
	}
	v.memory.unreleased = true
	did.err = l.releaseLeftBehind(ctx, v)
	return did
}

// releaseLeftBehind gives back what the gates hold for a node left behind that has been given back.
func (l *leader) releaseLeftBehind(ctx context.Context, v *view) error {
	if !v.memory.unreleased {
		return nil
	}
	err := l.gate.release(ctx, v.name)
	v.memory.unreleased = err != nil
	return err
}

// noteLeftBehind says, once for each annotation, that the node waits for another server.
func noteLeftBehind(ctx context.Context, v *view) result {
	did := result{gauges: &nodeGauges{leftBehind: true}}
	if annotation := v.node.Annotations[v1beta1.HoldsAnnotation]; v.memory.toldLeftBehind != annotation {
		v.memory.toldLeftBehind = annotation
		klog.FromContext(ctx).Info("Leaving node alone that another server holds", "node", v.name, "storeID", v.marks.note.StoreID)
		did.changes = []change{nodeLeftBehind{node: v.name, storeID: v.marks.note.StoreID}}
	}
	return did
}

// nodeGone says on the holds that their node does not exist. There is nothing to give back, so those
// that are being deleted end.
func (l *leader) nodeGone(ctx context.Context, v *view) result {
	if len(v.ending) == 0 && len(l.gate) == 0 {
		return l.holds.saveStatuses(ctx, v.active, facts{})
	}
	node, err := l.watcher.live.node(ctx, v.name)
	if err == nil && node != nil {
		err = errCacheBehind
	}
	if err != nil {
		did := l.holds.saveStatuses(ctx, v.active, facts{})
		did.add(result{err: err})
		return did
	}
	return l.release(ctx, v, facts{})
}

// release gives back what the gates hold for a node that needs it no more, says on the holds what is
// so now, and then lets those end that are being deleted.
func (l *leader) release(ctx context.Context, v *view, f facts) result {
	err := l.gate.release(ctx, v.name)
	if err != nil {
		f.releaseError = err.Error()
	}
	did := l.holds.saveStatuses(ctx, v.active, f)
	if err != nil {
		did.add(l.holds.saveError(ctx, v.ending, err))
		did.add(result{err: err})
		return did
	}
	did.add(l.holds.end(ctx, v))
	return did
}
