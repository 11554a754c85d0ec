// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// statusInterval is the least time between two writes of one hold's status, in the long
	// run.
	statusInterval = time.Second
	// statusBurst is how many writes an urgent change may be ahead of that: a drain that is done
	// must not wait to say so.
	statusBurst = 2
	// unsureLasts is when to look again after a write that failed: it may have been made all the
	// same, and the cache, which shows it a moment later, wakes nobody for a status.
	unsureLasts = 10 * time.Second
	// blockedLong is how long a drain must be blocked before an event says so: pods that take
	// turns in a budget's room are blocked for a moment each.
	blockedLong = 10 * time.Second
)

// writeLimit spaces the writes of one object.
type writeLimit struct{ next time.Time }

// wait is how long to wait before a write; zero when it may be made now.
func (l writeLimit) wait(urgent bool, now time.Time) time.Duration {
	allowed := l.next
	if urgent {
		allowed = allowed.Add(-statusBurst * statusInterval)
	}
	return max(allowed.Sub(now), 0)
}

func (l *writeLimit) wrote(now time.Time) {
	if l.next.Before(now) {
		l.next = now
	}
	l.next = l.next.Add(statusInterval)
}

// draft is a status that was computed and could not be written yet. The next one goes on from
// it, so that nothing is lost that happened in between.
type draft struct {
	resourceVersion string
	status          *v1beta1.NodeMaintenanceStatus
}

func (d *draft) of(h hold) v1beta1.NodeMaintenanceStatus {
	if d.status != nil && d.resourceVersion == h.ResourceVersion {
		return *d.status
	}
	return h.Status
}

// urgent says whether a change is one that somebody may be waiting for. That nothing is to be
// done is not: it can wait until many holds that are created at once have been.
func urgent(old, next v1beta1.NodeMaintenanceStatus) bool {
	if next.Phase != old.Phase || drained(next) != drained(old) {
		return true
	}
	was, is := conditionReason(old, v1beta1.ConditionCordoned), conditionReason(next, v1beta1.ConditionCordoned)
	idle := is == v1beta1.ReasonStageIdle || is == v1beta1.ReasonNodeNotFound
	return was != is && (was != "" || !idle)
}

// saveStatus writes the hold's status if it changed and may be written now, and returns how long
// to wait if it may not. The write names the version it was computed from: a stale cache ends
// in a conflict, never in an overwritten status.
func (d *Drainer) saveStatus(ctx context.Context, h hold, memory *holdMemory, next v1beta1.NodeMaintenanceStatus, urgent bool) (time.Duration, error) {
	if sameStatus(h.Status, next) {
		memory.draft = draft{}
		return max(memory.unsureUntil.Sub(d.config.Clock.Now()), 0), nil
	}
	memory.draft = draft{resourceVersion: h.ResourceVersion, status: &next}
	if memory.limit.next.IsZero() {
		memory.limit.next = h.CreationTimestamp.Add(statusInterval)
	}
	if wait := memory.limit.wait(urgent, d.config.Clock.Now()); wait > 0 {
		return wait, nil
	}
	_, err := d.writeStatus(ctx, h, memory, next)
	return 0, err
}

// writeStatus writes the hold's status now, and says so in events.
func (d *Drainer) writeStatus(ctx context.Context, h hold, memory *holdMemory, next v1beta1.NodeMaintenanceStatus) (hold, error) {
	changed := h.DeepCopy()
	changed.Status = next
	written, err := d.config.Maintenance.MaintenanceV1beta1().NodeMaintenances().UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	if err != nil {
		if !againLater(err) {
			memory.unsureUntil = d.config.Clock.Now().Add(unsureLasts)
		}
		return h, fmt.Errorf("could not update status of NodeMaintenance %s: %w", h.Name, err)
	}
	memory.limit.wrote(d.config.Clock.Now())
	memory.latest.wrote(h.ResourceVersion, written)
	memory.draft = draft{}
	klog.FromContext(ctx).V(2).Info("Updated status", "nodeMaintenance", h.Name, "node", h.Spec.NodeName,
		"phase", next.Phase, "progress", next.DrainProgress, "pending", next.PendingPodCount)
	for _, t := range transitions(h, h.Status, next) {
		d.events.onHold(h, t.kind, t.reason, "%s", t.message)
		if t.alsoOnNode {
			d.events.onNode(h.Spec.NodeName, t.kind, t.reason, "%s", t.message)
		}
	}
	if drained(next) && !drained(h.Status) && next.StartTime != nil && next.DrainedTime != nil {
		observeDrain(next.DrainedTime.Sub(next.StartTime.Time))
	}
	return newHold(written), nil
}

// untilLate is how long a drain under way has until its deadline; zero when that is no question.
func untilLate(status v1beta1.NodeMaintenanceStatus, now time.Time) time.Duration {
	if status.Deadline == nil || !draining(status) {
		return 0
	}
	return max(status.Deadline.Sub(now), 0)
}

// blockedNote remembers which blockage an event told of.
type blockedNote struct {
	since     metav1.Time
	permanent bool
}

func newBlockedNote(blocked metav1.Condition, status v1beta1.NodeMaintenanceStatus) blockedNote {
	return blockedNote{
		since:     blocked.LastTransitionTime,
		permanent: slices.ContainsFunc(status.Blockers, func(b v1beta1.DrainBlocker) bool { return b.Permanent }),
	}
}

// toldBefore says whether the process before this one has had an event tell of the blockage: the
// stored status speaks of it, and the event was due before this process started.
func (d *Drainer) toldBefore(h hold, note blockedNote) bool {
	stored := apimeta.FindStatusCondition(h.Status.Conditions, v1beta1.ConditionBlocked)
	return stored != nil && newBlockedNote(*stored, h.Status) == note &&
		(note.permanent || note.since.Add(blockedLong).Before(d.started))
}

// noteBlocked has an event tell of a hold that stays blocked, once, and once more when waiting
// turns out not to help. It returns how long to wait until that is to be said.
func (d *Drainer) noteBlocked(h hold, memory *holdMemory, status v1beta1.NodeMaintenanceStatus, now time.Time) time.Duration {
	blocked := apimeta.FindStatusCondition(status.Conditions, v1beta1.ConditionBlocked)
	if blocked == nil || blocked.Status != metav1.ConditionTrue {
		memory.blocked = blockedNote{}
		return 0
	}
	note := newBlockedNote(*blocked, status)
	if memory.blocked == note || (memory.blocked.since.Equal(&note.since) && !note.permanent) {
		return 0
	}
	if d.toldBefore(h, note) {
		memory.blocked = note
		return 0
	}
	if wait := note.since.Add(blockedLong).Sub(now); wait > 0 && !note.permanent {
		return wait
	}
	memory.blocked = note
	d.events.onBoth(h.Spec.NodeName, []hold{h}, corev1.EventTypeWarning, eventDrainBlocked,
		"%d pods of node %s are kept from leaving: %s", status.BlockedPodCount, h.Spec.NodeName, blocked.Message)
	return 0
}

// errCacheBehind says that the API server knows something newer than our caches, which they
// will show soon.
var errCacheBehind = errors.New("the cache is behind the API server")

// againLater says whether an error means only that what we know of our own objects, or of the
// node, is old: the watch brings the newer version.
func againLater(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || errors.Is(err, errCacheBehind)
}
