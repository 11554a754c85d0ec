// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/quote"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
)

// conflictAgain is the time when a trigger is called again that came upon somebody else's write.
const conflictAgain = time.Second

// begins notes that the next step may begin from now on. One that could not be recorded as it is before is resolved first.
func (t *term) begins(ctx context.Context, v *view, step *v1beta1.TransitionStep) (moved, stop bool, err error) {
	if step.NextTime != nil && v.now.Before(step.NextTime.Time) {
		v.lookAt(step.NextTime.Time)
		return false, true, nil
	}
	if isUnresolved(step) {
		if err := t.resolve(ctx, v, step); err != nil {
			return t.mayNotBegin(ctx, v, step, err)
		}
	}
	if moved, stop, err := t.recordBoot(ctx, v, step); moved || stop || err != nil {
		return moved, stop, err
	}
	step.Failures, step.NextTime, step.Message = 0, nil, ""
	t.run(v)
	return true, false, t.write(ctx, v)
}

// mayNotBegin notes why a step may not begin. It fails, or is tried again later.
func (t *term) mayNotBegin(ctx context.Context, v *view, step *v1beta1.TransitionStep, why error) (moved, stop bool, err error) {
	unresolved(step, why, v.now)
	if step.State == v1beta1.StepFailed {
		return true, false, t.write(ctx, v)
	}
	v.lookAt(step.NextTime.Time)
	return false, true, nil
}

// unresolved notes why a step of a state that was entered cannot be recorded as it is. It fails, or is tried again later.
func unresolved(step *v1beta1.TransitionStep, err error, now time.Time) {
	step.Message = errorText(err)
	step.Failures++
	if step.Trigger.OnFailure == v1beta1.FailureAbort {
		step.State = v1beta1.StepFailed
		return
	}
	machine.Postpone(step, now)
}

// isUnresolved says whether a step has not begun, since it could not be recorded as it is.
func isUnresolved(step *v1beta1.TransitionStep) bool {
	return step.State == v1beta1.StepPending && step.Failures > 0
}

// run notes that the next step may begin from now on, with those right after it that one call may do together.
func (t *term) run(v *view) {
	steps := v.next.Status.Transition.Steps
	first := machine.Current(v.next.Status.Transition)
	kind, running := action.KindOf(&first.Trigger), false
	for i := range steps {
		step := &steps[i]
		if step == first {
			running = true
		} else if running && (kind != action.KindPatchNode || action.KindOf(&step.Trigger) != kind) {
			return
		}
		if running {
			machine.Run(step, v.now)
			machine.HoldForStep(v.next, &step.Trigger)
		}
	}
}

// do calls the trigger of a step that is running, unless it is to be tried later, and notes what has come of it.
func (t *term) do(ctx context.Context, v *view, step *v1beta1.TransitionStep) (moved, stop bool, err error) {
	if step.NextTime != nil && v.now.Before(step.NextTime.Time) {
		v.lookAt(step.NextTime.Time)
		return false, true, nil
	}
	leave, entered := t.turns.enter(action.KindOf(&step.Trigger))
	if !entered {
		v.lookAt(v.now.Add(nextTurn))
		return false, true, nil
	}
	progress, err := t.call(ctx, v, step)
	leave()
	if ctx.Err() != nil {
		return false, false, ctx.Err()
	}
	if progress.Object != "" {
		step.Object = progress.Object
	}
	if err == nil && progress.State == v1beta1.StepDone {
		machine.Done(step, text(progress.Message))
		return true, false, t.goOn(ctx, v)
	}
	if late := machine.TimedOut(step); !late.IsZero() {
		if v.now.Before(late) {
			v.lookAt(late)
		} else if step.Trigger.OnFailure == v1beta1.FailureAbort && !progress.Committed {
			return true, false, t.abort(ctx, v, machine.Cause{Message: step.Trigger.Name + ": " + lateMessage(step, progress, err)})
		}
	}
	return t.postpone(ctx, v, step, progress, err)
}

// postpone notes why a step is not done, and when it is tried or asked again.
func (t *term) postpone(ctx context.Context, v *view, step *v1beta1.TransitionStep, progress action.Progress, failure error) (moved, stop bool, err error) {
	switch {
	case apierrors.IsConflict(failure): // somebody else has written the object meanwhile, as happens to busy nodes: nothing is wrong
		v.lookAt(v.now.Add(conflictAgain))
	case failure != nil:
		failedSteps.WithLabelValues(v.nodeProfile.Spec.Profile, string(action.KindOf(&step.Trigger))).Inc()
		step.Failures++
		step.Message = errorText(failure)
		machine.Postpone(step, v.now)
		v.lookAt(step.NextTime.Time)
	case progress.State != v1beta1.StepFailed:
		t.waits(v, step, progress)
	case step.Trigger.OnFailure == v1beta1.FailureAbort:
		failedSteps.WithLabelValues(v.nodeProfile.Spec.Profile, string(action.KindOf(&step.Trigger))).Inc()
		return true, false, t.abort(ctx, v, machine.Cause{Message: fmt.Sprintf("%s: %s", step.Trigger.Name, text(progress.Message))})
	default:
		failedSteps.WithLabelValues(v.nodeProfile.Spec.Profile, string(action.KindOf(&step.Trigger))).Inc()
		machine.Failed(step, text(progress.Message), v.now)
		if step.NextTime != nil {
			v.lookAt(step.NextTime.Time)
		}
	}
	return false, true, nil
}

// waits notes what a step waits for. If that takes too long, it counts as a failure, so that people are told once.
func (t *term) waits(v *view, step *v1beta1.TransitionStep, progress action.Progress) {
	v.lookAt(progress.Again)
	step.Message, step.NextTime, step.Failures = text(progress.Message), nil, 0
	if late := machine.TimedOut(step); !late.IsZero() && !v.now.Before(late) {
		step.Message, step.Failures = text(lateMessage(step, progress, nil)), 1
	}
}

// goOn notes that the next step may begin, or that all are done, in the same write as the end of the one before.
func (t *term) goOn(ctx context.Context, v *view) error {
	next := machine.Current(v.next.Status.Transition)
	switch {
	case next == nil:
		return t.finish(ctx, v)
	case next.State == v1beta1.StepPending && !isUnresolved(next) && machine.AwaitsBoot(v.next.Status.Transition) == nil:
		t.run(v)
	}
	return t.write(ctx, v)
}

// call calls the trigger of a step.
func (t *term) call(ctx context.Context, v *view, step *v1beta1.TransitionStep) (action.Progress, error) {
	kind := action.KindOf(&step.Trigger)
	trigger := t.config.Kinds[kind]
	if trigger == nil {
		return action.Progress{}, fmt.Errorf("this version does not know the trigger %s", step.Trigger.Name)
	}
	ctx, cancel := context.WithTimeout(ctx, timeoutOf(kind))
	defer cancel()
	return trigger.Do(ctx, stored(v))
}

// stored is the step that is under way, as it is stored.
func stored(v *view) action.Step {
	transition := v.nodeProfile.Status.Transition
	does := action.Step{
		Profile: v.nodeProfile.Spec.Profile, NodeProfile: v.nodeProfile, Transition: transition, Recorded: machine.Current(transition),
	}
	if v.node != nil && v.node.UID == v.nodeProfile.Status.NodeUID {
		does.Node = v.node
	}
	return does
}

// resolve works out what of a step depends on the node.
func (t *term) resolve(ctx context.Context, v *view, step *v1beta1.TransitionStep) error {
	if t.config.Resolve == nil {
		return nil
	}
	if err := t.config.Resolve(ctx, step, v.node); err != nil {
		return fmt.Errorf("%s: %w", step.Trigger.Name, err)
	}
	return nil
}

func lateMessage(step *v1beta1.TransitionStep, progress action.Progress, err error) string {
	why := text(progress.Message)
	if err != nil {
		why = errorText(err)
	}
	return fmt.Sprintf("not done within %d seconds: %s", *step.Trigger.TimeoutSeconds, why)
}

// errorText is the text of an error as a status shows it.
func errorText(err error) string { return text(err.Error()) }

func text(quoted string) string { return quote.Cut(quoted, v1beta1.MaxProfileMessageBytes) }
