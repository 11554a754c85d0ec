// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replacement

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// markDelay is how long a mark is left before the owner is scaled down. Controllers watch machines and their sets apart,
// and could see the set change before the mark.
const markDelay = 5 * time.Second

// addDelay is how long an owner may take to add a machine that it lacks, before it is scaled down without one. If it
// were scaled down at once, its controllers could still add one, and then take any.
const addDelay = time.Minute

// takeAway takes the old machine away. If a machine was added for the event, its owner is scaled down, and takes the
// marked machine. If none is left to be taken back, the machine is deleted, and its owner replaces it.
//
//	machine            added   what is done
//	present            yes     mark it, scale down
//	present            no      delete it once the owner's replicas have reached the set: either the owner took another
//	                           machine, or somebody has set the replicas, or the strategy is DeleteFirst
//	deleting or gone   yes     scale down; the youngest machine is marked if the owner has one too many
//	deleting or gone   no      nothing
//	detached           yes     leave the replicas as they are: the added machine takes its place
//	detached           no      nothing, give up
func (d *decider) takeAway() {
	d.claimLate()
	switch {
	case d.facts.OwnerGone && !d.leaves():
		d.giveUp(d.ownerGone())
	case d.facts.OwnerGone:
		d.enter(v1beta1.StepAwaitGone)
	case d.forgets():
	case d.facts.Machine == Detached:
		d.leaveDetached()
	case d.leaves() && d.facts.Surged:
		d.takeSurplus()
	case d.leaves():
		d.enter(v1beta1.StepAwaitGone)
	case d.sent():
		d.delete()
	case d.Withdrawn:
		d.takeBack(withdrawn)
	case !d.MayDelete:
		d.begin(v1beta1.StepAwaitDrain)
	case d.facts.Surged:
		d.scaleDown(d.verdict.Replacement.Machine.Name)
	default:
		d.delete()
	}
}

// sent says whether the owner was scaled down for the old machine, and has not taken a machine yet. It cannot be undone.
func (d *decider) sent() bool {
	return !d.facts.Surged && d.marked(d.verdict.Replacement.Machine.Name) && d.facts.Live > d.facts.Replicas
}

// delete deletes the old machine itself. Its set must know its replicas by then, or it would add a machine to take it
// away again.
func (d *decider) delete() {
	if d.facts.Settled && d.MayDelete && !d.Withdrawn {
		d.act(ActDelete, "")
		return
	}
	d.wait(fmt.Sprintf("%s to take machine %s away", d.owner(), name(d.verdict.Replacement.Machine)))
}

// scaleDown takes one machine away from the owner: the target, or none if the target is empty.
func (d *decider) scaleDown(target string) {
	switch {
	case d.otherMark(target):
	case target != "" && !d.marked(target):
		d.verdict.Replacement.StepTime = new(metav1.NewTime(d.now))
		d.act(ActMark, target)
	case target != "" && d.since() < markDelay:
		d.wait(fmt.Sprintf("%s to see which machine it is to take away", d.owner()))
	default:
		d.act(ActScaleDown, target)
	}
}

// otherMark deals with marks on other machines than the target: the owner would take any marked one. Marks of the event
// itself are taken off. Of two events that have marked at the same time, that with the first name goes on.
func (d *decider) otherMark(target string) bool {
	for _, mark := range d.facts.Marks {
		switch {
		case mark.Machine == target:
			continue
		case mark.Own:
			d.act(ActUnmark, mark.Machine)
		case d.marked(target) && mark.Machine < target:
			d.act(ActUnmark, target)
		}
		d.wait(fmt.Sprintf("machine %s, which is marked to be deleted first too: it has to go before, or its mark", mark.Machine))
		return true
	}
	return false
}

// takeSurplus takes the added machine back: the youngest goes. If the owner lacks one for long, none has to go.
func (d *decider) takeSurplus() {
	switch {
	case d.facts.Live >= d.facts.Replicas:
		d.scaleDown(d.facts.Newest)
	case d.since() > addDelay:
		d.scaleDown("")
	default:
		d.wait(fmt.Sprintf("%s to add the machine that is then taken back", d.owner()))
	}
}

// marked says whether a machine has the mark of the event.
func (d *decider) marked(machine string) bool {
	for _, mark := range d.facts.Marks {
		if mark.Own && mark.Machine == machine {
			return true
		}
	}
	return false
}

// leaveDetached gives up a machine that somebody has taken from its owner. Its siblings stay.
func (d *decider) leaveDetached() {
	switch old := d.verdict.Replacement.Machine.Name; {
	case d.facts.Surged:
		d.act(ActForget, "")
		return
	case d.marked(old):
		d.act(ActUnmark, old)
		return
	}
	d.giveUp(d.detached() + "; delete it by hand")
}
