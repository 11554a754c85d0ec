// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/plan"
)

// hold is a NodeMaintenance as a look at its node finds it.
type hold struct {
	plan.Hold
	// told is what its status said when we last wrote it. What others write there does not count.
	told v1beta1.NodeMaintenanceStatus
	// present is what its status says by now: told, or what was worked out since and could not be
	// written yet.
	present v1beta1.NodeMaintenanceStatus
	// memory is nil for a hold that is only read.
	memory *holdMemory
	// sameNode says that its status is about the node that exists now, and recorded that it says what that was like before.
	sameNode, recorded bool
	// imported says that the node carries a taint of the operator that the hold was imported from, which goes when the
	// node is given back. Only a hold that has a record tells of them: without one, the node was given back already.
	imported bool
	// taken says that the hold has taken the node out of service, and the node still shows that.
	taken bool
	// news is what its status is to say of its admission; nil: what it says already.
	news *admissionNews
	// stays says that all of its status stays as it is: it is not known how far the hold may go.
	stays bool
	// again is after how long its admission is to be asked for again if nothing happens; zero: never.
	again time.Duration
	// keptFor is how the message begins that says what keeps the node from being given back; empty: it is not known.
	keptFor string
}

// hold is a hold of the node as far as it is admitted.
func (l *leader) hold(v *view, maintenance *v1beta1.NodeMaintenance, memory *holdMemory) hold {
	now := l.config.Clock.Now()
	h := newHold(maintenance, memory, now).on(v)
	h.Jobs = l.watcher.jobs(maintenance)
	switch {
	case !h.DeletionTimestamp.IsZero():
		return h
	case l.config.Admission == nil:
		return h.admittedAs(Admitted{Known: true, Stage: h.Spec.Stage}, now)
	default:
		return h.admittedAs(l.config.Admission.Admitted(maintenance), now)
	}
}

func newHold(maintenance *v1beta1.NodeMaintenance, memory *holdMemory, now time.Time) hold {
	stored := begun(maintenance)
	h := hold{Hold: plan.NewHold(maintenance), told: stored, present: stored, memory: memory}
	if memory != nil {
		h.told = memory.said.settle(maintenance.Status, func() v1beta1.NodeMaintenanceStatus { return plausible(maintenance, now) })
		h.present = memory.writes.present(maintenance, h.told)
	}
	h.told, h.present = withApprovalsOf(h.told, maintenance.Status), withApprovalsOf(h.present, maintenance.Status)
	return h.settled(now)
}

// on is the hold with what the node says of it. What another operator has taken, as an import says, counts until this
// server has the node in maintenance: whoever creates a hold says it.
func (h hold) on(v *view) hold {
	h.sameNode = v.node != nil && h.told.NodeUID == v.node.UID
	h.recorded = h.sameNode && h.told.NodeBefore != nil
	h.imported = h.recorded && OutBeforeImport(v.node, h.Annotations)
	h.taken = h.recorded && (v.marks.tookFor(h.NodeMaintenance) || ((!v.marks.annotated || v.marks.anothers) && h.imported))
	return h
}

// as is the hold as its status was just written.
func (h hold) as(written *v1beta1.NodeMaintenance, v *view, now time.Time) hold {
	again := newHold(written, h.memory, now).on(v)
	again.Jobs, again.Stage, again.news, again.stays, again.again = h.Jobs, h.Stage, h.news, h.stays, h.again
	return again.settled(now)
}

// settled is the hold with what follows from its stage: it deletes the pods that are left when it is past its deadline.
func (h hold) settled(now time.Time) hold {
	deadline := h.deadline(h.present.StartTime)
	h.Deletes = h.Drains() && h.Spec.Drain.OnTimeout == v1beta1.OnTimeoutDelete &&
		deadline != nil && !now.Before(deadline.Time) && !drained(h.present)
	return h
}

// deadline is when the drain that began at start is to be done; nil without a limit.
func (h hold) deadline(start *metav1.Time) *metav1.Time {
	timeout := h.Spec.Drain.TimeoutSeconds
	if timeout == nil || start == nil {
		return nil
	}
	return &metav1.Time{Time: start.Add(time.Duration(*timeout) * time.Second)}
}

// split divides the holds of a node into those that count and those that are being deleted, each sorted
// by name so that what is derived from them does not flap. A hold that only somebody else's finalizer
// keeps has ended, and is in neither.
func split(holds []hold) (active, ending []hold) {
	slices.SortFunc(holds, func(a, b hold) int { return cmp.Compare(a.Name, b.Name) })
	for _, h := range holds {
		switch {
		case h.DeletionTimestamp.IsZero():
			active = append(active, h)
		case !h.released():
			ending = append(ending, h)
		}
	}
	return active, ending
}

// released says whether the hold was deleted and has ended, so that only the finalizers of others keep it.
func (h hold) released() bool {
	return !h.DeletionTimestamp.IsZero() && !slices.Contains(h.Finalizers, v1beta1.UncordonFinalizer)
}

// lasting are the holds that have not ended.
func lasting(holds []hold) []hold { return slices.DeleteFunc(slices.Clone(holds), hold.ended) }

// ended says whether the hold asks for nothing, now or any more, and at most waits for the node to be
// given back. What a stage asks for that is not known is not known either.
func (h hold) ended() bool { return !h.DeletionTimestamp.IsZero() || (h.stageKnown() && !h.cordons()) }

// deleted is when the hold was deleted; zero when it was not.
func (h hold) deleted() time.Time {
	if h.DeletionTimestamp == nil {
		return time.Time{}
	}
	return h.DeletionTimestamp.Time
}

// recordedBefore is what the holds recorded of their node before it was cordoned; nil when no
// hold has a record. The record of the hold that ends last counts: a hold that ended earlier may still
// exist after the node was given back and taken out of service again.
func recordedBefore(holds []hold) *v1beta1.NodeBefore {
	known := slices.DeleteFunc(slices.Clone(holds), func(h hold) bool { return !h.recorded })
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

// cordons says whether the hold alone would have the node cordoned.
func (h hold) cordons() bool { return cordonsAt(h.Stage) }

// stageKnown says whether this version knows the stage of the hold. If not, a newer version of the server has
// stored it: an upgrade is under way, or was undone.
func (h hold) stageKnown() bool { return stageRank(h.Stage) >= 0 }

// waits says whether the hold may not go as far as it asks for.
func (h hold) waits() bool { return h.stageKnown() && h.Stage != h.Spec.Stage }

// unreadable is why the hold cannot be read; empty: it can. Such a hold counts as one whose stage is not known.
func (h hold) unreadable() string { return v1beta1.WhyUnreadable(h.NodeMaintenance) }

// cordonsAt says whether a hold in this stage has its node cordoned.
func cordonsAt(stage v1beta1.MaintenanceStage) bool {
	return stageRank(stage) >= stageRank(v1beta1.StageCordon)
}

func highestStage(holds []hold) v1beta1.MaintenanceStage {
	highest := v1beta1.StageIdle
	for _, h := range holds {
		if stageRank(h.Stage) > stageRank(highest) {
			highest = h.Stage
		}
	}
	return highest
}

func stageRank(stage v1beta1.MaintenanceStage) int {
	return slices.Index([]v1beta1.MaintenanceStage{v1beta1.StageIdle, v1beta1.StageCordon, v1beta1.StageDrain}, stage)
}
