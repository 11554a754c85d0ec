// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
)

// situation is what the holds of a node together want.
type situation int

const (
	// wanted is a node that a hold wants to have cordoned.
	wanted situation = iota
	// unheld is a node without holds, and gone one that does not exist.
	unheld
	gone
	// unwanted is a node that is to be in service.
	unwanted
	// undecided is a node that is left as it is: the stage of a hold is not known, or whether it is admitted.
	undecided
)

// holdsAre takes in the holds of the node, and works out what follows from them together.
func (v *view) holdsAre(holds []hold) {
	v.active, v.ending = split(holds)
	v.released = slices.DeleteFunc(holds, func(h hold) bool { return !h.released() })
	v.recorded = recordedBefore(lasting(v.active))
	v.situation = v.situated()
	for _, h := range v.active {
		v.again = due.Sooner(v.again, h.again)
		if why := h.unreadable(); why != "" {
			v.unread = append(v.unread, fmt.Sprintf("%s (%s)", h.Name, why))
		}
	}
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

// situated says what the holds together want.
func (v *view) situated() situation {
	switch {
	case len(v.holds()) == 0:
		return unheld
	case v.node == nil:
		return gone
	case !v.kept():
		return unwanted
	case v.stage() == v1beta1.StageIdle:
		return undecided
	default:
		return wanted
	}
}

func (v *view) holds() []hold { return slices.Concat(v.active, v.ending) }

// kept says whether a hold keeps the node from being given back.
func (v *view) kept() bool { return len(lasting(v.active)) > 0 }

// stage is the stage that the holds together ask for: the highest that is known.
func (v *view) stage() v1beta1.MaintenanceStage { return highestStage(v.active) }

// waits says whether a hold waits that the node is not cordoned for yet.
func (v *view) waits() bool {
	return slices.ContainsFunc(v.active, func(h hold) bool { return h.waits() && !h.cordons() })
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
