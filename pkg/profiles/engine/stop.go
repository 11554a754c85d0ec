// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
)

// stop ends the step that is under way, if it would go on by itself. It is called before a transition is given up.
func (t *term) stop(ctx context.Context, v *view) error {
	recorded := v.nodeProfile.Status.Transition
	if recorded == nil {
		return nil
	}
	step := machine.Current(recorded)
	if step == nil || step.State != v1beta1.StepRunning {
		return nil
	}
	stopper, stops := t.config.Kinds[action.KindOf(&step.Trigger)].(action.Stopper)
	if !stops {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := stopper.Stop(ctx, stored(v)); err != nil {
		return fmt.Errorf("could not stop %s: %w", step.Trigger.Name, err)
	}
	return nil
}
