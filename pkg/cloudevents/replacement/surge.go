// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replacement

import (
	"fmt"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// withdrawn is the reason why a replacement is given up whose event was canceled or deleted, or has happened.
const withdrawn = "the event was withdrawn, or is over"

// lateDelay is how long a request may be on its way that an earlier leader has sent. Nothing is taken back before, so
// that nothing is added after it.
const lateDelay = 15 * time.Second

// surge adds a machine. The step is left as soon as the owner has it, so that no change of the owner by others adds
// another one.
func (d *decider) surge() {
	switch {
	case d.facts.Surged:
		d.enter(v1beta1.StepAwaitNewNode)
	case d.Withdrawn:
		d.takeBack(withdrawn)
	case d.facts.OwnerGone:
		d.giveUp(d.ownerGone())
	case d.leaves():
		d.begin(v1beta1.StepAwaitGone)
	case d.facts.Machine == Detached:
		d.takeBack(d.detached())
	default:
		d.act(ActSurge, "")
	}
}

// awaitNewNode waits for the node of the new machine. The owner may also have all its machines without a new one: if
// somebody has lowered its replicas.
func (d *decider) awaitNewNode() {
	d.claim()
	switch {
	case d.facts.OwnerGone:
		d.giveUp(d.ownerGone())
	case d.since() < lateDelay:
		d.wait(d.missing("is to become Ready"))
	case d.forgets():
	case d.Withdrawn:
		d.takeBack(withdrawn)
	case d.facts.Machine == Detached:
		d.takeBack(d.detached())
	case d.leaves():
		d.begin(v1beta1.StepDelete)
	case d.newReady() || d.whole():
		d.begin(v1beta1.StepAwaitDrain)
	case d.since() > d.Timeout:
		d.takeBack(fmt.Sprintf("%s within %s", d.missing("did not become Ready"), d.Timeout.Round(time.Second)))
	default:
		d.wait(d.missing("is to become Ready"))
	}
}

// awaitDrain waits until the old node is empty.
func (d *decider) awaitDrain() {
	switch {
	case d.facts.OwnerGone:
		d.giveUp(d.ownerGone())
	case d.forgets():
	case d.facts.Machine == Detached:
		d.leaveDetached()
	case d.leaves():
		d.begin(v1beta1.StepDelete)
	case d.Withdrawn:
		d.takeBack(withdrawn)
	case d.MayDelete:
		d.begin(v1beta1.StepDelete)
	case d.marked(d.verdict.Replacement.Machine.Name):
		d.act(ActUnmark, d.verdict.Replacement.Machine.Name)
	default:
		d.wait("the old node to be empty")
	}
}

// claim records which machine comes instead, so that no other event takes it for its own.
func (d *decider) claim() {
	replacement := &d.verdict.Replacement
	replacement.NewMachine, replacement.NewNode = "", ""
	if d.facts.New != nil {
		replacement.NewMachine, replacement.NewNode = d.facts.New.Name, d.facts.New.Node
	}
}

// newReady says that the new machine is Ready, and was recorded before: two events that choose at the same moment could else
// count the same one.
func (d *decider) newReady() bool {
	return d.facts.New != nil && d.facts.New.Ready && d.facts.New.Name == d.Replacement.NewMachine
}

// missing is what is missing of the new machine, and why, if the machine says that.
func (d *decider) missing(what string) string {
	fresh := d.facts.New
	switch {
	case fresh == nil:
		return fmt.Sprintf("a new machine of %s %s", d.owner(), what)
	case fresh.Problem != "":
		return fmt.Sprintf("the new machine %s (%s) %s", fresh.Name, fresh.Problem, what)
	case fresh.Node == "":
		return fmt.Sprintf("the node of the new machine %s %s", fresh.Name, what)
	}
	return fmt.Sprintf("the new node %s %s", fresh.Node, what)
}

// owner is the owner in a sentence.
func (d *decider) owner() string {
	if d.verdict.Replacement.Owner == nil {
		return "its owner"
	}
	return d.verdict.Replacement.Owner.Kind + " " + name(*d.verdict.Replacement.Owner)
}

func (d *decider) ownerGone() string {
	return fmt.Sprintf("%s is gone, which was to replace machine %s", d.owner(), name(d.verdict.Replacement.Machine))
}

func (d *decider) detached() string {
	return fmt.Sprintf("machine %s does not belong to %s any more", name(d.verdict.Replacement.Machine), d.owner())
}
