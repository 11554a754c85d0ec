// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"cmp"
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Split divides the holds of a node into those that count and those that are being deleted, each sorted
// by name so that what is derived from them does not flap. A hold that only somebody else's finalizer
// keeps has ended, and is in neither.
func Split(holds []Hold) (active, ending []Hold) {
	slices.SortFunc(holds, func(a, b Hold) int { return cmp.Compare(a.Name, b.Name) })
	for _, h := range holds {
		switch {
		case h.DeletionTimestamp.IsZero():
			active = append(active, h)
		case !h.Released():
			ending = append(ending, h)
		}
	}
	return active, ending
}

// Lasting are the holds that have not ended.
func Lasting(holds []Hold) []Hold { return slices.DeleteFunc(slices.Clone(holds), Hold.ended) }

func HighestStage(holds []Hold) v1beta1.MaintenanceStage {
	highest := v1beta1.StageIdle
	for _, h := range holds {
		if StageRank(h.Stage) > StageRank(highest) {
			highest = h.Stage
		}
	}
	return highest
}

// RecordedBefore is what the holds recorded of their node before it was cordoned; nil when no
// hold has a record. The record of the hold that ends last counts: a hold that ended earlier may still
// exist after the node was given back and taken out of service again.
func RecordedBefore(holds []Hold) *v1beta1.NodeBefore {
	known := slices.DeleteFunc(slices.Clone(holds), func(h Hold) bool { return !h.Recorded })
	if len(known) == 0 {
		return nil
	}
	return slices.MaxFunc(known, compareEnds).Told.NodeBefore
}

// compareEnds orders holds by when they end. Holds that do not end come last.
func compareEnds(a, b Hold) int {
	switch {
	case a.ended() && !b.ended():
		return -1
	case b.ended() && !a.ended():
		return 1
	default:
		return cmp.Or(a.deleted().Compare(b.deleted()), a.CreationTimestamp.Compare(b.CreationTimestamp.Time))
	}
}

// Released says whether the hold was deleted and has ended, so that only the finalizers of others keep it.
func (h Hold) Released() bool {
	return !h.DeletionTimestamp.IsZero() && !slices.Contains(h.Finalizers, v1beta1.UncordonFinalizer)
}

// ended says whether the hold asks for nothing, now or any more, and at most waits for the node to be
// given back. What a stage asks for that is not known is not known either.
func (h Hold) ended() bool { return !h.DeletionTimestamp.IsZero() || (h.StageKnown() && !h.Cordons()) }

// deleted is when the hold was deleted; zero when it was not.
func (h Hold) deleted() time.Time {
	if h.DeletionTimestamp == nil {
		return time.Time{}
	}
	return h.DeletionTimestamp.Time
}

// Cordons says whether the hold alone would have the node cordoned.
func (h Hold) Cordons() bool { return cordonsAt(h.Stage) }

// StageKnown says whether this version knows the stage of the hold. If not, a newer version of the server has
// stored it: an upgrade is under way, or was undone.
func (h Hold) StageKnown() bool { return StageRank(h.Stage) >= 0 }

// Waits says whether the hold may not go as far as it asks for.
func (h Hold) Waits() bool { return h.StageKnown() && h.Stage != h.Spec.Stage }

// Unreadable is why the hold cannot be read; empty: it can. Such a hold counts as one whose stage is not known.
func (h Hold) Unreadable() string { return v1beta1.WhyUnreadable(h.NodeMaintenance) }

// cordonsAt says whether a hold in this stage has its node cordoned.
func cordonsAt(stage v1beta1.MaintenanceStage) bool {
	return StageRank(stage) >= StageRank(v1beta1.StageCordon)
}

func StageRank(stage v1beta1.MaintenanceStage) int {
	return slices.Index([]v1beta1.MaintenanceStage{v1beta1.StageIdle, v1beta1.StageCordon, v1beta1.StageDrain}, stage)
}
