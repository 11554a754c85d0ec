// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// record has every hold that cordons the node write down what the node was like before, and
// returns that; nil when none has. One of them must have it before the node is touched. With an
// error besides, others could not write it down, and hold nobody back.
func (l *leader) record(ctx context.Context, v *view) (*v1beta1.NodeBefore, result) {
	var before *v1beta1.NodeBefore
	var did result
	for i, h := range v.active {
		if !h.cordons() || (h.recorded(v.node.UID) && l.nodes.marks.recorded(*h.Status.NodeBefore)) {
			continue
		}
		if before == nil {
			found, err := l.before(ctx, v)
			if err != nil {
				return nil, result{err: err}
			}
			before = found
		}
		written, wrote := l.holds.write(ctx, h, l.withBefore(h, v, before))
		v.active[i] = written
		did.add(wrote)
	}
	before = recordedBefore(lasting(v.active), v.node.UID)
	if before != nil && l.nodes.marks.recorded(*before) {
		return before, did
	}
	if did.err == nil {
		did.err = fmt.Errorf("could not record what node %s was like before: the status was not stored", v.name)
	}
	return nil, did
}

// withBefore is the hold's status with what the node was like before.
func (l *leader) withBefore(h hold, v *view, before *v1beta1.NodeBefore) v1beta1.NodeMaintenanceStatus {
	if h.recorded(v.node.UID) { // and only lacks taints that the server has been told to set since
		next := h.present.DeepCopy()
		next.NodeBefore = before
		return *next
	}
	next := nextStatus(h, facts{node: v.node.UID, before: before}, l.config.Clock.Now())
	if len(l.gate) > 0 {
		next.Phase = v1beta1.PhasePending // the gates have not been asked yet
	}
	return next
}

// before is what the node was like before any of its holds: what another hold has written
// down, or else what the node is like now. Both are asked of the API server where the cache
// does not say, for a stale one could show the node before our own cordon, or miss the hold
// that knows better. A hold that has ended knows only while the node has not been given back.
func (l *leader) before(ctx context.Context, v *view) (*v1beta1.NodeBefore, error) {
	if before := recordedBefore(lasting(v.holds()), v.node.UID); before != nil && l.nodes.marks.recorded(*before) {
		return before, nil
	}
	holds, beforeOurs, err := l.refresh(ctx, v)
	if err != nil {
		return nil, err
	}
	before := l.nodes.marks.before(v.node)
	switch recorded := recordedBefore(lasting(holds), v.node.UID); {
	case recorded != nil:
		before = l.nodes.marks.completed(*recorded, v.node)
	case beforeOurs != nil:
		before = l.nodes.marks.completed(*beforeOurs, v.node)
	case v.marks.anothers && v.marks.tainted:
		// Another store's server has cordoned the node, and knows what it was like before that.
		before = l.nodes.marks.completed(v.marks.note.Before, v.node)
	}
	return &before, nil
}

// refresh has v show the node as the API server knows it now. It returns the holds that the API server
// knows of the node, and what the node was like before the marks of ours that it carries; nil when it
// carries none. It fails with errCacheBehind when the node is another one than v shows.
func (l *leader) refresh(ctx context.Context, v *view) (holds []hold, beforeOurs *v1beta1.NodeBefore, err error) {
	node, maintenances, err := l.watcher.live.nodeAndHolds(ctx, v.name)
	if err != nil {
		return nil, nil, err
	}
	if node == nil || node.UID != v.node.UID {
		return nil, nil, errCacheBehind
	}
	v.sees(node, l.nodes.marks.read(node))
	active, ending := split(l.watcher.holds(maintenances))
	holds = slices.Concat(active, ending)
	beforeOurs = recordedBefore(holds, v.node.UID)
	if beforeOurs == nil {
		beforeOurs = v.annotatedBefore()
	}
	if beforeOurs == nil || !v.carriesOurs(*beforeOurs) {
		return holds, nil, nil
	}
	return holds, beforeOurs, nil
}

// carriesOurs says whether the node carries marks of ours that it did not have before. One that another
// store's server holds too is left to that one.
func (v *view) carriesOurs(before v1beta1.NodeBefore) bool {
	if v.marks.annotated {
		return !v.marks.anothers
	}
	return v.marks.tainted && !slices.Contains(before.Taints, ourTaint.ToString())
}

// annotatedBefore is what the node was like before, by its annotation, if it carries both our marks; else
// nil. The taint must be there too, because a kubelet may write annotations on its own node.
func (v *view) annotatedBefore() *v1beta1.NodeBefore {
	if v.marks.ours && v.marks.tainted {
		return &v.marks.note.Before
	}
	return nil
}

// lasting are the holds that have not ended.
func lasting(holds []hold) []hold { return slices.DeleteFunc(slices.Clone(holds), hold.ended) }

// recorded says whether the hold has written down what the node of that UID was like before.
func (h hold) recorded(node types.UID) bool {
	return h.Status.NodeUID == node && h.Status.NodeBefore != nil
}

// recordedBefore is what the holds wrote down of the node of that UID before they had it
// cordoned; nil when none has. The hold that ends last decides. One that ended earlier may be there
// still although the node was given back, and taken anew, in between.
func recordedBefore(holds []hold, node types.UID) *v1beta1.NodeBefore {
	known := slices.DeleteFunc(slices.Clone(holds), func(h hold) bool { return !h.recorded(node) })
	if len(known) == 0 {
		return nil
	}
	return slices.MaxFunc(known, compareEnds).Status.NodeBefore
}

// compareEnds orders holds by when they end: those that do not come last.
func compareEnds(a, b hold) int {
	switch {
	case a.ended() && !b.ended():
		return -1
	case b.ended() && !a.ended():
		return 1
	default:
		return cmp.Or(a.deleted().Compare(b.deleted()), a.CreationTimestamp.Compare(b.CreationTimestamp.Time))
	}
}
