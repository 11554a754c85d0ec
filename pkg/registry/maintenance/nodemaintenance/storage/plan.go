// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apiserver/pkg/warning"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// planTimeout bounds how long the answer to a write waits for the plan.
const planTimeout = 5 * time.Second

// plan warns of what the drain of a hold that was written loses, and of what it cannot do. For a dry run
// it also puts the plan into status.plan. If the drain cannot be planned, the hold has been written all
// the same.
func (r *REST) plan(ctx context.Context, hold *v1beta1.NodeMaintenance, dryRun bool) {
	if !dryRun && hold.Spec.Stage != v1beta1.StageDrain {
		return
	}
	plan, err := r.planFor(ctx, hold, dryRun)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not plan the drain of a hold", "nodeMaintenance", hold.Name, "node", hold.Spec.NodeName)
		if dryRun {
			warning.AddWarning(ctx, "", fmt.Sprintf("status.plan is missing: %s", err))
		}
		return
	}
	warnOfEmptySelection(ctx, hold, plan)
	warnOfEvictions(ctx, hold.Spec.NodeName, plan)
	warnOfBlocked(ctx, hold.Spec.NodeName, plan, reasons(dryRun))
	warnOfClashes(ctx, hold, plan)
	if dryRun {
		own := *plan // completed later, and the planner may keep its own
		hold.Status.Plan = &own
	}
}

// reasons is where a hold says why pods cannot leave. In a dry run nothing has been tried yet, so
// that it has no blockers.
func reasons(dryRun bool) string {
	if dryRun {
		return "status.plan"
	}
	return "status.blockers"
}

// PlanHold says what the drain of a hold, stored or not, would do, as things are now, beside the other holds
// of its node, and whether it would start now. It changes nothing. It fails while the planner's caches are not synced.
// If only the policies cannot be asked, a warning says so instead.
func (r *REST) PlanHold(ctx context.Context, hold *v1beta1.NodeMaintenance) (*v1beta1.DrainPlanStatus, error) {
	plan, err := r.planFor(ctx, hold, true)
	if err != nil {
		return nil, err
	}
	if plan.Admission, _, err = r.forecast(ctx, hold); err != nil {
		warning.AddWarning(ctx, "", fmt.Sprintf("status.admission is missing: %s", err))
	}
	return plan, nil
}

func (r *REST) planFor(ctx context.Context, hold *v1beta1.NodeMaintenance, fresh bool) (*v1beta1.DrainPlanStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, planTimeout)
	defer cancel()
	return r.planner.Plan(ctx, hold.DeepCopy(), fresh)
}
