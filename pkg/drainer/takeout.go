// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// record writes what the node was like before into the status of every hold that cordons the node. At least one hold
// must have it before the node is changed. If others could not be written, that does not stop it. The same writes
// store how far holds are admitted.
func (l *leader) record(ctx context.Context, v *view) result {
	var did result
	found, now := v.toRecord(), l.config.Clock.Now()
	for i, h := range v.active {
		if !v.lacksRecord(h) {
			continue
		}
		written, wrote := l.holds.write(ctx, h, l.withBefore(h, v, found, now))
		switch {
		case wrote.err == nil:
			v.active[i] = h.as(written, v, l.config.Clock.Now())
		case !h.admissionStored():
			v.active[i] = h.undecided(l.config.Clock.Now())
		}
		did.add(wrote)
	}
	if before := recordedBefore(lasting(v.active)); before != nil && v.sets.recorded(*before) {
		v.before = before
	} else if did.err == nil {
		did.err = fmt.Errorf("could not record what node %s was like before: the status was not stored", v.name)
	}
	return did
}

// toRecord is what the node was like before any of its holds: what another hold has recorded, or else what the node is
// like now.
func (v *view) toRecord() *v1beta1.NodeBefore {
	if before := v.cachedBefore(); before != nil {
		return before
	}
	recorded := recordedBefore(lasting(v.live))
	switch {
	case recorded != nil:
	case v.ours != nil:
		recorded = v.ours
	case v.marks.anothers && v.marks.tainted:
		// Another store's server has cordoned the node, and its annotation says what the node was like
		// before.
		recorded = &v.marks.note.Before
	}
	before := v.sets.record(recorded, v.node)
	return &before
}

// withBefore is the hold's status with what the node was like before.
func (l *leader) withBefore(h hold, v *view, before *v1beta1.NodeBefore, now time.Time) v1beta1.NodeMaintenanceStatus {
	if h.recorded { // it only lacks its admission, or taints that the server sets since its last start
		next := h.withAdmission(now)
		next.NodeBefore = before
		return next
	}
	next := nextStatus(h, facts{node: v.node.UID, before: before}, now)
	if len(l.gate) > 0 {
		next.Phase = v1beta1.PhasePending // the gates have not been asked yet
	}
	return next
}

// askGates asks the gates whether the node may be taken out of service, or stay so.
func (l *leader) askGates(ctx context.Context, v *view) result {
	verdict, err := l.gate.acquire(ctx, v)
	v.waits = verdict.Wait
	return result{again: verdict.Again, err: err}
}

func (l *leader) cordon(ctx context.Context, v *view) (did result) {
	v.cordoned, did = l.nodes.cordon(ctx, v)
	return did
}
