// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/places"
)

// beginsWithin is how long after it was decided a transition may begin. After that, its checks may say something else.
const beginsWithin = time.Minute

// drive goes on with the transition that was recorded. A profile that is Paused goes on with it, too.
func (t *term) drive(ctx context.Context, v *view) (moved, stop bool, err error) {
	recorded := v.nodeProfile.Status.Transition
	if recorded == nil {
		return false, false, nil
	}
	t.admitter.withdraw(v.name) // it may have been granted another one meanwhile
	if !v.acts && !v.paused() {
		return false, true, nil
	}
	if !machine.HasBegun(recorded) {
		if moved, stop, err := t.mayBegin(ctx, v); moved || stop || err != nil {
			return moved, stop, err
		}
	}
	step := machine.Current(v.next.Status.Transition)
	switch {
	case step == nil:
		return true, false, t.finish(ctx, v)
	case step.State == v1beta1.StepPending:
		return t.begins(ctx, v, step)
	case step.State == v1beta1.StepRunning && machine.AwaitsBoot(v.next.Status.Transition) == step:
		return t.begins(ctx, v, step) // an earlier version, which does not know the trigger, has it run without a boot
	case step.State == v1beta1.StepRunning:
		return t.do(ctx, v, step)
	case step.Trigger.OnFailure == v1beta1.FailureAbort:
		return true, false, t.abort(ctx, v, machine.Cause{Message: step.Message})
	default:
		return false, true, nil // a person decides
	}
}

// mayBegin decides a transition anew that has not begun for too long, such as after a crash. Else it has it wait for the
// hold, and for its place in the ledger.
func (t *term) mayBegin(ctx context.Context, v *view) (moved, stop bool, err error) {
	recorded := v.nodeProfile.Status.Transition
	until := recorded.DecidedTime.Add(beginsWithin)
	if !v.now.Before(until) {
		return true, false, t.drop(ctx, v)
	}
	v.lookAt(until)
	waits := recorded.HoldStage != "" && !v.hold.Reaches(recorded.HoldStage)
	return false, waits || !t.admitter.hasPlace(v.nodeProfile), nil
}

// drop forgets the recorded transition, of which nothing was done, and then gives back what it has taken of pools.
func (t *term) drop(ctx context.Context, v *view) error {
	attempt := attemptOf(v.nodeProfile)
	machine.Drop(&v.next.Status)
	if err := t.write(ctx, v); err != nil {
		return err
	}
	t.admitter.giveBack(attempt)
	return nil
}

// attemptOf is what was granted for the recorded transition.
func attemptOf(nodeProfile *v1beta1.NodeProfile) places.Grant {
	grant := places.GrantFor(nodeProfile)
	grant.Attempt = nodeProfile.Status.Attempt
	return grant
}

// finish ends the phase of a transition whose steps are all done: the next state is entered, or was.
func (t *term) finish(ctx context.Context, v *view) error {
	if v.next.Status.Transition.Phase == v1beta1.PhaseEnter {
		machine.Entered(&v.next.Status)
		return t.write(ctx, v)
	}
	defer t.lockTelling(v.nodeProfile.Spec.NodeName)()
	t.enter(ctx, v)
	return t.write(ctx, v)
}

// enter enters the next state, and makes the notifications of both states in the same write.
func (t *term) enter(ctx context.Context, v *view) {
	t.notify(v)
	machine.Commit(v.next, t.enterSteps(ctx, v, v.next.Status.Transition.Next), v.now)
	machine.HoldForState(v.next, v.profile)
	t.notify(v)
}

// enterSteps are the triggers of a state that is entered. One that cannot be recorded as it is has failed, or is tried
// again later.
func (t *term) enterSteps(ctx context.Context, v *view, next v1beta1.ProfileState) []v1beta1.TransitionStep {
	if v.profile == nil {
		return nil
	}
	state := machine.StateSpec(v.profile, next)
	if state == nil {
		return nil
	}
	var steps []v1beta1.TransitionStep
	for place, name := range state.Enter {
		step := machine.Step(v.profile, place, name)
		if err := t.resolve(ctx, v, &step); err != nil {
			unresolved(&step, err, v.now)
		}
		steps = append(steps, step)
	}
	return steps
}

// giveUp gives the recorded transition up if a person has decided so.
func (t *term) giveUp(ctx context.Context, v *view) (moved, stop bool, err error) {
	decision := machine.AskedToAbort(&v.nodeProfile.Status)
	if decision == nil {
		return false, false, nil
	}
	machine.UseAbort(&v.next.Status, decision)
	return true, false, t.abort(ctx, v, machine.Cause{
		By: decision.By, Reason: decision.Reason, Message: "given up by " + decision.By,
	})
}

// abort gives the recorded transition up. What it has taken of pools is given back if nothing was done, once that is
// stored: another leader may have begun it meanwhile.
func (t *term) abort(ctx context.Context, v *view, cause machine.Cause) error {
	recorded := v.nodeProfile.Status.Transition
	if err := t.stop(ctx, v); err != nil {
		return err
	}
	attempt := attemptOf(v.nodeProfile)
	machine.Abort(&v.next.Status, cause, v.now)
	machine.HoldForState(v.next, v.profile)
	if err := t.write(ctx, v); err != nil || machine.HasBegun(recorded) {
		return err
	}
	t.admitter.giveBack(attempt)
	return nil
}
