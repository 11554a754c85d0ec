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
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

// unsureLasts is how long the cache may be behind a write that failed. Such a write may have succeeded
// all the same, and no event wakes the node for a change of a status.
const unsureLasts = 10 * time.Second

// holdWriter is the one that changes NodeMaintenances: it writes their status, removes their
// finalizer, and deletes those that expire.
type holdWriter struct {
	client versioned.Interface
	clock  clock.PassiveClock
}

// holdStatus is what the status of a hold is to say.
type holdStatus struct {
	hold   hold
	status v1beta1.NodeMaintenanceStatus
}

// saveStatuses brings the status of each hold up to date.
func (w holdWriter) saveStatuses(ctx context.Context, holds []hold, f facts) result {
	var did result
	now := w.clock.Now()
	for _, h := range holds {
		next := nextStatus(h, f, now)
		counted := f.drain.byHold[h.UID] != nil
		if counted {
			h.memory.pods.countedFor(next)
		}
		// A node's pods are known a moment after it is cordoned; both are told in one write.
		podsToCome := f.cordoned && h.Drains() && !counted
		saved := w.save(ctx, h, next, !podsToCome && urgent(h.Status, next))
		told := next
		if len(saved.changes) == 0 && drained(next) && !drained(h.Status) {
			told = h.present // nobody has been told yet, and pods may come first
		}
		did.add(saved)
		did.add(result{again: untilLate(next, now), statuses: []holdStatus{{hold: h, status: told}}})
	}
	return did
}

// saveError writes into the holds' status why what they wait for has not happened, so that users see
// it. The caller tries again.
func (w holdWriter) saveError(ctx context.Context, holds []hold, cause error) result {
	did := w.saveMessage(ctx, holds, cause.Error())
	did.again = 0 // what must not be written now is written with the next try
	return did
}

// saveMessage is saveError for what nobody tries again before something happens.
func (w holdWriter) saveMessage(ctx context.Context, holds []hold, cause string) result {
	var did result
	message := quote.Cut(cause, quote.MaxMessage)
	now := metav1.NewTime(w.clock.Now()).Rfc3339Copy()
	for _, h := range holds {
		next := *h.told.DeepCopy()
		if next.LastError != message {
			next.LastError, next.LastUpdate = message, &now
		}
		did.add(w.save(ctx, h, next, true))
	}
	return did
}

// save writes the hold's status if it changed and may be written now. What cannot be read is not written. The write names the version it
// was worked out from: a stale cache ends in a conflict, never in an overwritten status.
func (w holdWriter) save(ctx context.Context, h hold, next v1beta1.NodeMaintenanceStatus, urgent bool) result {
	if h.unreadable() != "" {
		return result{}
	}
	write, again := h.memory.writes.next(h, next, urgent, w.clock.Now())
	if !write {
		return result{again: again}
	}
	_, did := w.write(ctx, h, next)
	return did
}

// write writes the hold's status now, and returns what is stored then; nil: it failed.
func (w holdWriter) write(ctx context.Context, h hold, next v1beta1.NodeMaintenanceStatus) (*v1beta1.NodeMaintenance, result) {
	changed := h.DeepCopy()
	changed.Status = next
	refused := h.memory.said.tries(next)
	written, err := w.client.MaintenanceV1beta1().NodeMaintenances().UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	now := w.clock.Now()
	h.memory.writes.wrote(err, now)
	if againLater(err) {
		refused()
	}
	if err != nil {
		return nil, result{err: fmt.Errorf("could not update status of NodeMaintenance %s: %w", h.Name, err)}
	}
	h.memory.latest.wrote(h.ResourceVersion, written)
	h.memory.said.wrote(written.Status)
	if !newsTold(written.Status).says(newsTold(h.told)) {
		h.memory.numbers.wrote(now)
	}
	klog.FromContext(ctx).V(2).Info("Updated status", "nodeMaintenance", h.Name, "node", h.Spec.NodeName,
		"phase", next.Phase, "progress", ptr.Deref(next.DrainProgress, 0), "pending", next.PendingPodCount)
	return written, result{changes: []change{statusWritten{hold: h, old: h.told, next: next}}}
}

// end lets the holds end that are being deleted. The caller has made sure that the node no longer
// needs what they know.
func (w holdWriter) end(ctx context.Context, v *view) result {
	var did result
	for _, h := range v.ending {
		ended := w.dropFinalizer(ctx, h, v.kept())
		if ended.err != nil && !againLater(ended.err) {
			ended.add(w.saveError(ctx, []hold{h}, ended.err))
		}
		did.add(ended)
	}
	return did
}

// dropFinalizer lets the hold end. kept says that other holds keep the node in maintenance.
func (w holdWriter) dropFinalizer(ctx context.Context, h hold, kept bool) result {
	changed := h.DeepCopy()
	changed.Finalizers = slices.DeleteFunc(changed.Finalizers, func(f string) bool { return f == v1beta1.UncordonFinalizer })
	written, err := w.client.MaintenanceV1beta1().NodeMaintenances().Update(ctx, changed, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return result{}
	}
	if err != nil {
		return result{err: fmt.Errorf("could not drop finalizer of NodeMaintenance %s: %w", h.Name, err)}
	}
	h.memory.latest.wrote(h.ResourceVersion, written)
	klog.FromContext(ctx).Info("Ended hold", "nodeMaintenance", h.Name, "node", h.Spec.NodeName, "nodeIsKept", kept)
	return result{changes: []change{holdEnded{hold: h, nodeKept: kept}}}
}

// statusWrites spaces the writes of one hold's status, and keeps what waits to be written.
type statusWrites struct {
	limit writeLimit
	// unwritten is a status that was worked out for this version of the hold and could not be written
	// yet; nil when there is none. The next one goes on from it, so that nothing is lost that happened
	// in between.
	unwritten *v1beta1.NodeMaintenanceStatus
	version   string
	// unsureUntil is until when the cache may show a status that was replaced: a write failed, and
	// may have been made all the same.
	unsureUntil time.Time
}

// present is what the status of the hold says by now: the unwritten one if it was worked out from
// this version of the hold, else the one that was told last.
func (w *statusWrites) present(maintenance *v1beta1.NodeMaintenance, told v1beta1.NodeMaintenanceStatus) v1beta1.NodeMaintenanceStatus {
	if w.unwritten != nil && w.version == maintenance.ResourceVersion {
		return *w.unwritten
	}
	return told
}

// next records what the status is to say. It says whether to write that now, and if not, when to look
// again. A status that says Drained is not kept while it waits to be written. Nobody has seen it, so if
// pods come first, the drain goes on.
func (w *statusWrites) next(h hold, status v1beta1.NodeMaintenanceStatus, urgent bool, now time.Time) (write bool, again time.Duration) {
	waited := w.unwritten != nil
	w.unwritten, w.version = nil, h.ResourceVersion
	if sameStatus(h.Status, status) && (waited || h.Status.LastUpdate.Equal(status.LastUpdate)) {
		return false, max(w.unsureUntil.Sub(now), 0)
	}
	if !drained(status) || drained(h.Status) {
		w.unwritten = &status
	}
	again = w.limit.waitOf(h, urgent, now)
	return again == 0, again
}

// wrote notes that the status was written, or why it was not.
func (w *statusWrites) wrote(err error, now time.Time) {
	switch {
	case err == nil:
		w.unwritten = nil
		w.limit.wrote(now)
	case !againLater(err):
		w.unsureUntil = now.Add(unsureLasts)
	}
}
