// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replacement

import (
	"fmt"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// awaitGone waits until the old machine is gone. A machine that was added late is taken back first.
func (d *decider) awaitGone() {
	d.claimLate()
	switch {
	case d.facts.Surged && !d.facts.OwnerGone:
		d.begin(v1beta1.StepDelete)
	case d.facts.Machine != Gone && d.facts.Machine != Deleting:
		d.begin(v1beta1.StepDelete)
	case d.facts.Machine == Deleting:
		d.wait(fmt.Sprintf("machine %s to be gone", name(d.verdict.Replacement.Machine)))
	default:
		d.enter(v1beta1.StepAwaitReplaced)
	}
}

// awaitReplaced waits until the owner has all its machines again, or the one that comes instead.
func (d *decider) awaitReplaced() {
	d.claimLate()
	switch {
	case d.facts.OwnerGone:
		d.giveUp(d.ownerGone())
	case d.facts.Surged:
		d.begin(v1beta1.StepDelete)
	case d.cleans():
	case d.newReady() || d.whole():
		d.begin(v1beta1.StepReplaced)
	case d.Withdrawn:
		d.giveUp(withdrawn)
	default:
		d.wait(d.missing("is to become Ready"))
	}
}

// claimLate records the machine that comes after the delete, unless one came before it.
func (d *decider) claimLate() {
	if d.verdict.Replacement.Strategy == v1beta1.DeleteFirst {
		d.claim()
	}
}

// undo takes the added machine and the marks away again.
func (d *decider) undo() {
	switch {
	case d.facts.OwnerGone:
		d.begin(v1beta1.StepGivenUp)
	case d.leaves() || d.sent():
		d.verdict.Replacement.Failure = ""
		d.begin(v1beta1.StepDelete)
	case d.forgets():
	case d.facts.Surged:
		d.takeSurplus()
	case d.cleans():
	case d.since() < lateDelay:
		d.wait("earlier changes to be undone for certain")
	default:
		d.begin(v1beta1.StepGivenUp)
	}
}

// cleans waits for the owner to take the machine that is marked for the event, and takes the mark off if the owner keeps
// it: somebody may have set more replicas. It says whether there is one.
func (d *decider) cleans() bool {
	mark := d.ownMark()
	switch {
	case mark == "":
		return false
	case d.facts.Live > d.facts.Replicas:
		d.wait(fmt.Sprintf("%s to take machine %s away", d.owner(), mark))
	default:
		d.act(ActUnmark, mark)
	}
	return true
}

// ownMark is a machine that has the mark of the event. Empty if none has.
func (d *decider) ownMark() string {
	for _, mark := range d.facts.Marks {
		if mark.Own {
			return mark.Machine
		}
	}
	return ""
}
