// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// warnOfEmptySelection warns that the drain of the hold evicts nothing although there are pods: a typo in
// a selector must not look like an empty node.
func warnOfEmptySelection(ctx context.Context, hold *maintenance.NodeMaintenance, plan *v1beta1.DrainPlanStatus) {
	if hold.Spec.Stage != maintenance.StageDrain || plan.DrainablePods == 0 || plan.SkippedPods < plan.DrainablePods {
		return
	}
	warning.AddWarning(ctx, "", fmt.Sprintf("%s 0 of %d pods of node %q (static pods and pods of DaemonSets are not counted): no pod is evicted",
		selects(&hold.Spec.Drain), plan.DrainablePods, hold.Spec.NodeName))
}

// selects names what decides which pods are evicted.
func selects(drain *maintenance.DrainSpec) string {
	if drain.PodSelector != nil && len(drain.Rules) == 0 {
		return "spec.drain.podSelector matches"
	}
	return "spec.drain selects"
}

// warnOfNewSelection warns of an empty selection when an update changes which pods are evicted.
func (r *REST) warnOfNewSelection(ctx context.Context, obj runtime.Object, before maintenance.NodeMaintenanceSpec, dryRun bool) {
	hold, ok := obj.(*maintenance.NodeMaintenance)
	if !ok || hold.Spec.Stage != maintenance.StageDrain || sameSelection(hold.Spec, before) {
		return
	}
	plan, err := r.planFor(ctx, hold, dryRun)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not plan the drain of a changed hold", "nodeMaintenance", hold.Name, "node", hold.Spec.NodeName)
		return
	}
	warnOfEmptySelection(ctx, hold, plan)
}

func sameSelection(a, b maintenance.NodeMaintenanceSpec) bool {
	return a.Stage == b.Stage && apiequality.Semantic.DeepEqual(a.Drain.PodSelector, b.Drain.PodSelector) &&
		apiequality.Semantic.DeepEqual(a.Drain.Rules, b.Drain.Rules)
}

// noteSpec puts the stored spec of a hold that is to be updated into before.
func noteSpec(before *maintenance.NodeMaintenanceSpec) rest.TransformFunc {
	return func(_ context.Context, obj, old runtime.Object) (runtime.Object, error) {
		if hold, ok := old.(*maintenance.NodeMaintenance); ok {
			*before = hold.Spec
		}
		return obj, nil
	}
}
