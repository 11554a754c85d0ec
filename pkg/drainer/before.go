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

// record writes what the node was like before into the status of every hold that cordons the node, and
// returns it; nil when no hold has it. At least one hold must have it before the node is changed. With
// both a record and an error, some holds could not be written, which does not stop the others. The same writes
// store how far holds are admitted.
func (l *leader) record(ctx context.Context, v *view) (*v1beta1.NodeBefore, result) {
	var before *v1beta1.NodeBefore
	var did result
	for i, h := range v.active {
		if !h.cordons() || (h.admissionStored() && h.recorded(v.node.UID) && l.nodes.marks.recorded(*h.told.NodeBefore)) {
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
		if wrote.err != nil && !h.admissionStored() {
			written = h.undecided(v, l.config.Clock.Now())
		}
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
	if h.recorded(v.node.UID) { // it only lacks its admission, or taints that the server sets since its last start
		next := h.withAdmission(l.config.Clock.Now())
		next.NodeBefore = before
		return next
	}
	next := nextStatus(h, facts{node: v.node.UID, before: before}, l.config.Clock.Now())
	if len(l.gate) > 0 {
		next.Phase = v1beta1.PhasePending // the gates have not been asked yet
	}
	return next
}

// before is what the node was like before any of its holds: what another hold has recorded, or else
// what the node is like now. If the cache shows no record, the API server is asked for both: a stale
// cache could show the node as it was before our cordon, or lack the hold that has the record. The
// record of a hold that has ended counts only until the node is given back.
func (l *leader) before(ctx context.Context, v *view) (*v1beta1.NodeBefore, error) {
	if before := recordedBefore(lasting(v.holds()), v.node.UID); before != nil && l.nodes.marks.recorded(*before) {
		return before, nil
	}
	holds, beforeOurs, err := l.refresh(ctx, v)
	if err != nil {
		return nil, err
	}
	recorded := recordedBefore(lasting(holds), v.node.UID)
	switch {
	case recorded != nil:
	case beforeOurs != nil:
		recorded = beforeOurs
	case v.marks.anothers && v.marks.tainted:
		// Another store's server has cordoned the node, and its annotation says what the node was like
		// before.
		recorded = &v.marks.note.Before
	}
	before := l.nodes.marks.record(recorded, v.node)
	return &before, nil
}

// refresh reads the node and its holds from the API server. It updates the node in v, and returns the
// holds. beforeOurs is what the node was like before it got the marks of ours that it carries; nil when
// it carries none. refresh fails with errCacheBehind when the node is another one than in v.
func (l *leader) refresh(ctx context.Context, v *view) (holds []hold, beforeOurs *v1beta1.NodeBefore, err error) {
	node, maintenances, err := l.watcher.live.nodeAndHolds(ctx, v.name)
	if err != nil {
		return nil, nil, err
	}
	if node == nil || node.UID != v.node.UID {
		return nil, nil, errCacheBehind
	}
	v.sees(node, l.nodes.marks.read(node))
	found := make([]hold, 0, len(maintenances))
	for _, m := range maintenances {
		found = append(found, l.hold(v, m, v.memory.holds[m.UID]))
	}
	active, ending := split(found)
	holds = slices.Concat(active, ending)
	beforeOurs = recordedBefore(holds, v.node.UID)
	if beforeOurs == nil {
		beforeOurs = v.annotatedBefore()
	}
	if beforeOurs == nil || !v.carriesOurs(*beforeOurs, holds) {
		return holds, nil, nil
	}
	return holds, beforeOurs, nil
}

// carriesOurs says whether the node carries marks of ours that it did not have before. A node that
// another store's server holds too is left to that server.
func (v *view) carriesOurs(before v1beta1.NodeBefore, holds []hold) bool {
	if v.marks.annotated {
		return !v.marks.anothers
	}
	return (v.marks.tainted && !slices.Contains(before.Taints, ourTaint.ToString())) ||
		slices.ContainsFunc(holds, v.carriesImported)
}

// annotatedBefore is what the node was like before, as its annotation says, if the node carries both our
// annotation and our taint; else nil. The taint must be there too, because a kubelet may write
// annotations on its own node.
func (v *view) annotatedBefore() *v1beta1.NodeBefore {
	if v.marks.ours && v.marks.tainted {
		return &v.marks.note.Before
	}
	return nil
}

// lasting are the holds that have not ended.
func lasting(holds []hold) []hold { return slices.DeleteFunc(slices.Clone(holds), hold.ended) }

// recorded says whether the hold has recorded what the node of that UID was like before.
func (h hold) recorded(node types.UID) bool {
	return h.told.NodeUID == node && h.told.NodeBefore != nil
}

// recordedBefore is what the holds recorded of the node of that UID before it was cordoned; nil when no
// hold has a record. The record of the hold that ends last counts: a hold that ended earlier may still
// exist after the node was given back and taken out of service again.
func recordedBefore(holds []hold, node types.UID) *v1beta1.NodeBefore {
	known := slices.DeleteFunc(slices.Clone(holds), func(h hold) bool { return !h.recorded(node) })
	if len(known) == 0 {
		return nil
	}
	return slices.MaxFunc(known, compareEnds).told.NodeBefore
}

// compareEnds orders holds by when they end. Holds that do not end come last.
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
