// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// Holds are the holds of one node, with what follows from them together.
type Holds struct {
	// Active are the holds that count, and Ending are being deleted.
	Active, Ending []Hold
	// Released are being deleted, and only the finalizers of others keep them.
	Released []Hold
	// Recorded is what the lasting holds have recorded of the node before its cordon; nil: none has.
	Recorded *v1beta1.NodeBefore
	// Unread are the holds that cannot be read, each with why.
	Unread []string
	// Again is the time after which what the holds wait for is to be looked at again if nothing happens; zero: never.
	Again time.Duration
}

// Situation is what the holds of a node together want.
type Situation int

const (
	// Wanted is a node that a hold wants to have cordoned.
	Wanted Situation = iota
	// Unheld is a node without holds.
	Unheld
	// Gone is a node that does not exist.
	Gone
	// Unwanted is a node that is to be in service.
	Unwanted
	// Undecided is a node that is left as it is: the stage of a hold is not known, or whether it is admitted.
	Undecided
)

// Together are the holds of one node.
func Together(holds []Hold) Holds {
	active, ending := Split(holds)
	t := Holds{
		Active: active, Ending: ending, Recorded: RecordedBefore(Lasting(active)),
		Released: slices.DeleteFunc(holds, func(h Hold) bool { return !h.released() }),
	}
	for _, h := range active {
		t.Again = due.Sooner(t.Again, h.Again)
		if why := h.Unreadable(); why != "" {
			t.Unread = append(t.Unread, fmt.Sprintf("%s (%s)", h.Name, why))
		}
	}
	return t
}

// Situation says what the holds of the node want, which exists or not.
func (t Holds) Situation(exists bool) Situation {
	switch {
	case len(t.All()) == 0:
		return Unheld
	case !exists:
		return Gone
	case !t.Keep():
		return Unwanted
	case t.Stage() == v1beta1.StageIdle:
		return Undecided
	default:
		return Wanted
	}
}

// All are the holds that count, and those that are being deleted.
func (t Holds) All() []Hold { return slices.Concat(t.Active, t.Ending) }

// Keep says whether a hold keeps the node from being given back.
func (t Holds) Keep() bool { return len(Lasting(t.Active)) > 0 }

// Stage is the stage that the holds together ask for: the highest that is known.
func (t Holds) Stage() v1beta1.MaintenanceStage {
	highest := v1beta1.StageIdle
	for _, h := range t.Active {
		if StageRank(h.Stage) > StageRank(highest) {
			highest = h.Stage
		}
	}
	return highest
}

// Wait says whether a hold waits that the node is not cordoned for yet.
func (t Holds) Wait() bool {
	return slices.ContainsFunc(t.Active, func(h Hold) bool { return h.Waits() && !h.Cordons() })
}

// Split divides the holds of a node into those that count and those that are being deleted, each sorted
// by name so that what is derived from them does not flap. A hold that only somebody else's finalizer
// keeps has ended, and is in neither.
func Split(holds []Hold) (active, ending []Hold) {
	slices.SortFunc(holds, func(a, b Hold) int { return cmp.Compare(a.Name, b.Name) })
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

// Lasting are the holds that have not ended.
func Lasting(holds []Hold) []Hold { return slices.DeleteFunc(slices.Clone(holds), Hold.ended) }

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

// released says whether the hold was deleted and has ended, so that only the finalizers of others keep it.
func (h Hold) released() bool {
	return !h.DeletionTimestamp.IsZero() && !slices.Contains(h.Finalizers, v1beta1.UncordonFinalizer)
}

// ended says whether the hold asks for nothing, now or any more, and at most waits for the node to be
// given back. What a stage asks for that is not known is not known either.
func (h Hold) ended() bool { return !h.DeletionTimestamp.IsZero() || (h.StageKnown() && !h.Cordons()) }

// deleted is the time when the hold was deleted; zero when it was not.
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

// Unreadable is the reason why the hold cannot be read; empty: it can. Such a hold counts as one whose stage is not known.
func (h Hold) Unreadable() string { return v1beta1.WhyUnreadable(h.NodeMaintenance) }

// cordonsAt says whether a hold in this stage has its node cordoned.
func cordonsAt(stage v1beta1.MaintenanceStage) bool {
	return StageRank(stage) >= StageRank(v1beta1.StageCordon)
}

// StageRank orders the stages; it is negative for one that is not known.
func StageRank(stage v1beta1.MaintenanceStage) int {
	return slices.Index([]v1beta1.MaintenanceStage{v1beta1.StageIdle, v1beta1.StageCordon, v1beta1.StageDrain}, stage)
}
