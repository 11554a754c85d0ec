// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replacement

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Ended says whether nothing is to be done any more: the machine was replaced, or that was given up.
func Ended(step v1beta1.ReplacementStep) bool {
	return step == v1beta1.StepReplaced || step == v1beta1.StepGivenUp
}

// Next says what is stored and done next. Whoever calls it stores Verdict.Replacement first if it has changed, then
// carries out Verdict.Act, reads the facts again, and asks again.
func Next(stand Stand, facts Facts, now time.Time) Verdict {
	d := &decider{Stand: stand, facts: facts, now: now, verdict: Verdict{Replacement: *stand.Replacement.DeepCopy()}}
	for before := v1beta1.ReplacementStep(""); before != d.step(); {
		before = d.step()
		d.decide()
	}
	return d.verdict
}

// decider decides once.
type decider struct {
	Stand
	facts   Facts
	now     time.Time
	verdict Verdict
}

func (d *decider) step() v1beta1.ReplacementStep { return d.verdict.Replacement.Step }

// decide takes one step, or says what is done or waited for in it.
func (d *decider) decide() {
	switch d.step() {
	case v1beta1.StepSurge:
		d.surge()
	case v1beta1.StepAwaitNewNode:
		d.awaitNewNode()
	case v1beta1.StepAwaitDrain:
		d.awaitDrain()
	case v1beta1.StepDelete:
		d.takeAway()
	case v1beta1.StepAwaitGone:
		d.awaitGone()
	case v1beta1.StepAwaitReplaced:
		d.awaitReplaced()
	case v1beta1.StepUndo:
		d.undo()
	case v1beta1.StepReplaced, v1beta1.StepGivenUp:
	}
}

// begin enters a step, whose time starts now.
func (d *decider) begin(step v1beta1.ReplacementStep) {
	d.enter(step)
	d.verdict.Replacement.StepTime = new(metav1.NewTime(d.now))
}

// enter enters a step, which shares the time of the one before. New machines are those that were created since then.
func (d *decider) enter(step v1beta1.ReplacementStep) { d.verdict.Replacement.Step = step }

// giveUp ends the replacement, and says why.
func (d *decider) giveUp(why string) {
	d.verdict.Replacement.Failure = why
	d.begin(v1beta1.StepGivenUp)
}

// takeBack begins to undo what was changed, and says why.
func (d *decider) takeBack(why string) {
	d.verdict.Replacement.Failure = why
	d.begin(v1beta1.StepUndo)
}

func (d *decider) wait(sentence string) { d.verdict.WaitingFor = sentence }

func (d *decider) act(kind ActKind, machine string) {
	d.verdict.Act = Act{Kind: kind, Machine: machine, Event: d.Event}
}

// since is how long the step has taken, with those that share its time.
func (d *decider) since() time.Duration {
	if d.verdict.Replacement.StepTime == nil {
		return 0
	}
	return d.now.Sub(d.verdict.Replacement.StepTime.Time)
}

// leaves says whether the old machine is going, or gone.
func (d *decider) leaves() bool { return d.facts.Machine == Deleting || d.facts.Machine == Gone }

// whole says whether the owner has all the machines that it wants, with those that were added.
func (d *decider) whole() bool { return d.facts.Ready >= d.facts.Replicas }

// forgets takes the event out of the owner if somebody else has set its replicas since. It says whether it does.
func (d *decider) forgets() bool {
	if !d.facts.Surged || !d.facts.Rescaled {
		return false
	}
	d.act(ActForget, "")
	return true
}
