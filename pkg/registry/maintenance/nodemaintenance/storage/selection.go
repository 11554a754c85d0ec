// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize/english"
	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// warnOfEmptySelection warns that the drain of the hold evicts nothing although there are pods: a typo in
// a selector must not look like an empty node.
func warnOfEmptySelection(ctx context.Context, hold *v1beta1.NodeMaintenance, plan *v1beta1.DrainPlanStatus) {
	if hold.Spec.Stage != v1beta1.StageDrain || plan.DrainablePods == 0 || plan.SkippedPods < plan.DrainablePods {
		return
	}
	warning.AddWarning(ctx, "", fmt.Sprintf("%s 0 of %s of node %q (static pods and pods of DaemonSets are not counted): this hold evicts no pod",
		selects(&hold.Spec.Drain), english.Plural(int(plan.DrainablePods), "pod", ""), hold.Spec.NodeName))
}

// selects names what decides which pods are evicted.
func selects(drain *v1beta1.DrainSpec) string {
	if drain.PodSelector != nil && len(drain.Rules) == 0 {
		return "spec.drain.podSelector matches"
	}
	return "spec.drain selects"
}
