// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// holdWriter is the one that changes NodeMaintenances: it writes their status, removes their
// finalizer, and deletes those that expire.
type holdWriter struct {
	client versioned.Interface
	clock  clock.PassiveClock
}

// holdStatus is what the status of a hold is to say.
type holdStatus struct {
	hold   holdstatus.Hold
	status v1beta1.NodeMaintenanceStatus
}

// expire deletes the holds whose time is over, as their requestors would. The result says when the next
// hold expires, or is to say that it will soon.
func (w holdWriter) expire(ctx context.Context, v *view) result {
	var did result
	now := w.clock.Now()
	for _, h := range v.Active {
		end := h.Expiration()
		switch {
		case end == nil, h.Memory.Expired == h.ResourceVersion:
		case now.Before(h.Expiring(*end)):
			did.add(result{again: h.Expiring(*end).Sub(now)})
		case now.Before(end.Time):
			did.add(result{again: end.Sub(now)})
		default:
			did.add(w.deleteExpired(ctx, h, *end))
		}
	}
	return did
}

// deleteExpired deletes the hold only in the version that was looked at: a hold that has just been
// extended stays. No version is deleted twice, though the cache shows it for a moment longer: the audit log
// would tell of a second delete.
func (w holdWriter) deleteExpired(ctx context.Context, h holdstatus.Hold, end metav1.Time) result {
	uid, version := h.UID, h.ResourceVersion
	err := w.client.MaintenanceV1beta1().NodeMaintenances().Delete(ctx, h.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
	})
	if err != nil {
		return result{err: fmt.Errorf("could not delete NodeMaintenance %s, which has expired: %w", h.Name, err)}
	}
	h.Memory.Expired = version
	return result{changes: []holdstatus.Change{holdstatus.HoldExpired{Hold: h, End: end}}}
}

// record writes what the node was like before into the status of every hold that cordons the node. At least one hold
// must have it before the node is changed. If others could not be written, that does not stop it. The same writes
// store how far holds are admitted.
func (w holdWriter) record(ctx context.Context, v *view) result {
	var did result
	found, now := v.toRecord(), w.clock.Now()
	for i, h := range v.Active {
		if !h.Lacks {
			continue
		}
		written, wrote := w.write(ctx, h, withBefore(h, v, found, now))
		switch {
		case wrote.err == nil:
			v.Active[i] = h.As(written, v.node, v.marks, v.sets, w.clock.Now())
		case !h.AdmissionStored():
			v.Active[i] = h.Undecided(w.clock.Now())
		}
		did.add(wrote)
	}
	if before := holdstatus.RecordedBefore(holdstatus.Lasting(v.Active)); before != nil && v.sets.Recorded(*before) {
		v.before = before
	} else if did.err == nil {
		did.err = fmt.Errorf("could not record what node %s was like before: the status was not stored", v.name)
	}
	return did
}

// toRecord is what the node was like before any of its holds: what another hold has recorded, or else what the node is
// like now.
func (v *view) toRecord() *v1beta1.NodeBefore {
	if v.Recorded != nil && v.sets.Recorded(*v.Recorded) {
		return v.Recorded
	}
	recorded := holdstatus.RecordedBefore(holdstatus.Lasting(v.live))
	switch {
	case recorded != nil:
	case v.ours != nil:
		recorded = v.ours
	case v.marks.Anothers && v.marks.Tainted:
		// Another store's server has cordoned the node, and its annotation says what the node was like
		// before.
		recorded = &v.marks.Note.Before
	}
	before := v.sets.Record(recorded, v.node)
	return &before
}

// withBefore is the hold's status with what the node was like before.
func withBefore(h holdstatus.Hold, v *view, before *v1beta1.NodeBefore, now time.Time) v1beta1.NodeMaintenanceStatus {
	if h.Recorded { // it only lacks its admission, or taints that the server sets since its last start
		next := h.WithAdmission(now)
		next.NodeBefore = before
		return next
	}
	next := holdstatus.NextStatus(h, holdstatus.Facts{Node: v.node.UID, Before: before}, now)
	if v.gated {
		next.Phase = v1beta1.PhasePending // the gates have not been asked yet
	}
	return next
}

// saveError writes into the holds' status why what they wait for has not happened, so that users see
// it. The caller tries again.
func (w holdWriter) saveError(ctx context.Context, holds []holdstatus.Hold, cause error) result {
	did := w.saveMessage(ctx, holds, cause.Error())
	did.again = 0 // what must not be written now is written with the next try
	return did
}

// saveMessage is saveError for what nobody tries again before something happens.
func (w holdWriter) saveMessage(ctx context.Context, holds []holdstatus.Hold, cause string) result {
	var did result
	message := quote.Cut(cause, quote.MaxMessage)
	now := metav1.NewTime(w.clock.Now()).Rfc3339Copy()
	for _, h := range holds {
		next := *h.Told.DeepCopy()
		if next.LastError != message {
			next.LastError, next.LastUpdate = message, &now
		}
		did.add(w.save(ctx, h, next, true))
	}
	return did
}

// save writes the hold's status if it changed and may be written now. What cannot be read is not written. The write names the version it
// was worked out from: a stale cache ends in a conflict, never in an overwritten status.
func (w holdWriter) save(ctx context.Context, h holdstatus.Hold, next v1beta1.NodeMaintenanceStatus, urgent bool) result {
	if h.Unreadable() != "" {
		return result{}
	}
	write, again := h.Memory.Writes.Next(h, next, urgent, w.clock.Now())
	if !write {
		return result{again: again}
	}
	_, did := w.write(ctx, h, next)
	return did
}

// write writes the hold's status now, and returns what is stored then; nil: it failed.
func (w holdWriter) write(ctx context.Context, h holdstatus.Hold, next v1beta1.NodeMaintenanceStatus) (*v1beta1.NodeMaintenance, result) {
	changed := h.DeepCopy()
	changed.Status = next
	refused := h.Memory.Said.Tries(next)
	written, err := w.client.MaintenanceV1beta1().NodeMaintenances().UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	now := w.clock.Now()
	if againLater(err) {
		refused()
	} else if err != nil {
		h.Memory.Writes.Unsure(now)
	}
	if err != nil {
		return nil, result{err: fmt.Errorf("could not update status of NodeMaintenance %s: %w", h.Name, err)}
	}
	h.Memory.Writes.Wrote(now)
	h.Memory.Latest.Wrote(h.ResourceVersion, written)
	h.Memory.Said.Wrote(written.Status)
	if !holdstatus.NewsTold(written.Status).Says(holdstatus.NewsTold(h.Told)) {
		h.Memory.Numbers.Wrote(now)
	}
	klog.FromContext(ctx).V(2).Info("Updated status", "nodeMaintenance", h.Name, "node", h.Spec.NodeName,
		"phase", next.Phase, "progress", ptr.Deref(next.DrainProgress, 0), "pending", next.PendingPodCount)
	return written, result{changes: []holdstatus.Change{holdstatus.StatusWritten{Hold: h, Old: h.Told, Next: next}}}
}

// end lets the holds end that are being deleted. The caller has made sure that the node no longer
// needs what they know.
func (w holdWriter) end(ctx context.Context, v *view) result {
	var did result
	for _, h := range v.Ending {
		ended := w.dropFinalizer(ctx, h, v.Keep())
		if ended.err != nil && !againLater(ended.err) {
			ended.add(w.saveError(ctx, []holdstatus.Hold{h}, ended.err))
		}
		did.add(ended)
	}
	return did
}

// dropFinalizer lets the hold end. kept says that other holds keep the node in maintenance.
func (w holdWriter) dropFinalizer(ctx context.Context, h holdstatus.Hold, kept bool) result {
	changed := h.DeepCopy()
	changed.Finalizers = slices.DeleteFunc(changed.Finalizers, func(f string) bool { return f == v1beta1.UncordonFinalizer })
	written, err := w.client.MaintenanceV1beta1().NodeMaintenances().Update(ctx, changed, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return result{}
	}
	if err != nil {
		return result{err: fmt.Errorf("could not drop finalizer of NodeMaintenance %s: %w", h.Name, err)}
	}
	h.Memory.Latest.Wrote(h.ResourceVersion, written)
	klog.FromContext(ctx).Info("Ended hold", "nodeMaintenance", h.Name, "node", h.Spec.NodeName, "nodeIsKept", kept)
	return result{changes: []holdstatus.Change{holdstatus.HoldEnded{Hold: h, NodeKept: kept}}}
}

// say brings the status of each hold that counts up to date.
func (w holdWriter) say(ctx context.Context, v *view) result {
	did := w.saveStatuses(ctx, v.Active, v.facts())
	v.statuses = did.statuses
	return did
}

// sayReleased brings the status of each hold up to date that only the finalizers of others keep.
func (w holdWriter) sayReleased(ctx context.Context, v *view) result {
	return w.saveStatuses(ctx, v.Released, holdstatus.Facts{})
}

// saveStatuses brings the status of each hold up to date.
func (w holdWriter) saveStatuses(ctx context.Context, holds []holdstatus.Hold, f holdstatus.Facts) result {
	var did result
	now := w.clock.Now()
	for _, h := range holds {
		next := holdstatus.NextStatus(h, f, now)
		counted := f.Drain.ByHold[h.UID] != nil
		if counted {
			h.Memory.Pods.CountedFor(next)
		}
		// A node's pods are known a moment after it is cordoned; both are told in one write.
		podsToCome := f.Cordoned && h.Drains() && !counted
		saved := w.save(ctx, h, next, !podsToCome && holdstatus.Urgent(h.Status, next))
		told := next
		if len(saved.changes) == 0 && holdstatus.Drained(next) && !holdstatus.Drained(h.Status) {
			told = h.Present // nobody has been told yet, and pods may come first
		}
		did.add(saved)
		did.add(result{again: holdstatus.UntilLate(next, now), statuses: []holdStatus{{hold: h, status: told}}})
	}
	return did
}

// facts are what the statuses of the holds follow from.
func (v *view) facts() holdstatus.Facts {
	f := holdstatus.Facts{Before: v.before, Waits: v.waitsFor, Cordoned: v.cordoned, Drain: v.drain}
	if v.node != nil {
		f.Node = v.node.UID
	}
	if err := v.failure(askGates, cordonNode); err != nil {
		f.CordonError = err.Error()
	}
	if err := v.done[releaseGates]; err != nil {
		f.ReleaseError = err.Error()
	}
	return f
}
