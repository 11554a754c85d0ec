// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apiserver/pkg/warning"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// planTimeout bounds how long the answer to a create waits for the plan.
	planTimeout = 5 * time.Second
	// maxPodsNamed caps the pods that a warning names; the rest are counted.
	maxPodsNamed = 3
)

// plan warns of what is lost by the drain of a new hold. For a dry run it also puts the plan into
// status.plan. If the drain cannot be planned, the hold has been created all the same.
func (r *REST) plan(ctx context.Context, hold *maintenance.NodeMaintenance, dryRun bool) {
	if !dryRun && hold.Spec.Stage != maintenance.StageDrain {
		return
	}
	plan, err := r.planFor(ctx, hold, dryRun)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not plan the drain of a new hold", "nodeMaintenance", hold.Name, "node", hold.Spec.NodeName)
		if dryRun {
			warning.AddWarning(ctx, "", fmt.Sprintf("status.plan is missing: %s", err))
		}
		return
	}
	warnOfLosses(ctx, hold.Spec.NodeName, plan)
	warnOfReturns(ctx, hold.Spec.NodeName, plan)
	if dryRun {
		if hold.Status.Plan, err = internal(plan); err != nil {
			klog.FromContext(ctx).Error(err, "Could not convert the plan of a drain")
		}
	}
}

// PlanDrain says what a drain of a node would do, as things are now, beside the holds that the node
// has. It changes nothing. It fails while the planner's caches are not synced.
func (r *REST) PlanDrain(ctx context.Context, node string, drain maintenance.DrainSpec) (*maintenance.DrainPlanStatus, error) {
	plan, err := r.planFor(ctx, &maintenance.NodeMaintenance{
		Spec: maintenance.NodeMaintenanceSpec{NodeName: node, Stage: maintenance.StageDrain, Drain: drain},
	}, true)
	if err != nil {
		return nil, err
	}
	return internal(plan)
}

func internal(plan *v1beta1.DrainPlanStatus) (*maintenance.DrainPlanStatus, error) {
	converted := &maintenance.DrainPlanStatus{}
	return converted, v1beta1.Convert_v1beta1_DrainPlanStatus_To_maintenance_DrainPlanStatus(plan, converted, nil)
}

func (r *REST) planFor(ctx context.Context, hold *maintenance.NodeMaintenance, fresh bool) (*v1beta1.DrainPlanStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, planTimeout)
	defer cancel()
	versioned := &v1beta1.NodeMaintenance{}
	if err := v1beta1.Convert_maintenance_NodeMaintenance_To_v1beta1_NodeMaintenance(hold.DeepCopy(), versioned, nil); err != nil {
		return nil, err
	}
	return r.planner.Plan(ctx, versioned, fresh)
}

func warnOfLosses(ctx context.Context, node string, plan *v1beta1.DrainPlanStatus) {
	if pods := plan.UnmanagedPods; len(pods) > 0 {
		warning.AddWarning(ctx, "", fmt.Sprintf("pods of node %q that no controller creates again are evicted: %s", node, counted(pods)))
	}
	if pods := plan.EmptyDirPods; len(pods) > 0 {
		warning.AddWarning(ctx, "", fmt.Sprintf("pods of node %q lose the data of their emptyDir volumes: %s", node, counted(pods)))
	}
}

// counted says how many pods there are, and names the first.
func counted(pods []string) string {
	if more := len(pods) - maxPodsNamed; more > 0 {
		return fmt.Sprintf("%d (%s and %d more)", len(pods), strings.Join(pods[:maxPodsNamed], ", "), more)
	}
	return fmt.Sprintf("%d (%s)", len(pods), strings.Join(pods, ", "))
}
