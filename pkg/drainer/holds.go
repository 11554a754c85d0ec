// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

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

// lasting are the holds that have not ended.
func lasting(holds []hold) []hold { return slices.DeleteFunc(slices.Clone(holds), hold.ended) }

func highestStage(holds []hold) v1beta1.MaintenanceStage {
	highest := v1beta1.StageIdle
	for _, h := range holds {
		if stageRank(h.Stage) > stageRank(highest) {
			highest = h.Stage
		}
	}
	return highest
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

// released says whether the hold was deleted and has ended, so that only the finalizers of others keep it.
func (h hold) released() bool {
	return !h.DeletionTimestamp.IsZero() && !slices.Contains(h.Finalizers, v1beta1.UncordonFinalizer)
}

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

func stageRank(stage v1beta1.MaintenanceStage) int {
	return slices.Index([]v1beta1.MaintenanceStage{v1beta1.StageIdle, v1beta1.StageCordon, v1beta1.StageDrain}, stage)
}
