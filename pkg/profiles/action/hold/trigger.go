// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package hold

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// Raise is the trigger hold. While it waits, it names no time: a change of the NodeMaintenance wakes the engine.
type Raise struct{ Holds *Holds }

// Release is the trigger release. It waits as Raise does.
type Release struct{ Holds *Holds }

var (
	_ action.Trigger = Raise{}
	_ action.Trigger = Release{}
)

// Do creates the NodeMaintenance, or raises its stage, and waits until the node is as far out of service.
func (t Raise) Do(ctx context.Context, step action.Step) (action.Progress, error) {
	spec := step.Recorded.Trigger.Hold
	stage := cmp.Or(spec.Stage, v1beta1.StageDrain)
	seen, err := t.Holds.Keep(ctx, step.NodeProfile, Want{
		Stage: stage, Drain: spec.Drain, DryRun: step.DryRun,
		Reason: fmt.Sprintf("transition %s of profile %s", step.Transition.Name, step.Profile),
	})
	switch {
	case err != nil:
		return action.Refusal(fmt.Sprintf("take node %s out of service", step.NodeProfile.Spec.NodeName), err)
	case step.DryRun:
		return action.Done(), nil
	case seen.Ending, ptr.Deref(spec.Wait, true) && !seen.Reaches(stage):
		return action.Waiting(seen.Message, time.Time{}), nil
	default:
		return action.Done(), nil
	}
}

// Do deletes the NodeMaintenance, and waits until it is gone.
func (t Release) Do(ctx context.Context, step action.Step) (action.Progress, error) {
	seen, err := t.Holds.GiveBack(ctx, step.NodeProfile, step.DryRun)
	switch {
	case err != nil:
		return action.Refusal(fmt.Sprintf("give node %s back", step.NodeProfile.Spec.NodeName), err)
	case seen.Hold == nil, step.DryRun, !ptr.Deref(step.Recorded.Trigger.Release.Wait, true):
		return action.Done(), nil
	default:
		return action.Waiting(seen.Message, time.Time{}), nil
	}
}
