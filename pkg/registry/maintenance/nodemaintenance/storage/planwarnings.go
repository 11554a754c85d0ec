// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// maxPodsNamed caps the pods that a warning names; the rest are counted.
const maxPodsNamed = 3

// warnOfEvictions warns of what the evictions lose, of what pods ask for in vain, and of what becomes of the pods.
func warnOfEvictions(ctx context.Context, node string, plan *v1beta1.DrainPlanStatus) {
	for _, w := range []struct {
		format string
		pods   []string
	}{
		{"pods of node %q that no controller creates again are evicted: %s", plan.UnmanagedPods},
		{"pods of node %q lose the data of their emptyDir volumes: %s", plan.EmptyDirPods},
		{"pods of node %q are evicted although their annotations ask not to disrupt them: %s; " +
			"to leave them on the node, add a rule with podAnnotations and the action Skip", plan.DoNotDisruptPods},
		{"pods of node %q are evicted although they have the label " + v1beta1.DrainLabel + ", whose value means nothing: %s; " +
			"use " + v1beta1.DrainLabelSkip + " or " + v1beta1.DrainLabelWaitCompleted, plan.MislabeledPods},
		{"pods of node %q will come back, so that it is never drained: %s: their controllers put them on this node whether it is " +
			"cordoned or not: remove that, scale them down, or leave these pods alone with action Skip in spec.drain.rules", plan.ReturningPods},
		{
			"pods of node %q can run on no other node, so that they are Pending from their eviction until it is back in service: %s: " +
				"their volumes are only there, or they select it: to keep them running, leave them alone with action Skip in spec.drain.rules",
			plan.UnschedulablePods,
		},
	} {
		if len(w.pods) > 0 {
			warning.AddWarning(ctx, "", fmt.Sprintf(w.format, node, counted(w.pods)))
		}
	}
}

// warnOfBlocked warns of the pods that do not leave however long one waits. field is where the hold says more.
func warnOfBlocked(ctx context.Context, node string, plan *v1beta1.DrainPlanStatus, field string) {
	if pods := plan.PermanentlyBlockedPods; len(pods) > 0 {
		warning.AddWarning(ctx, "", fmt.Sprintf(
			"pods of node %q cannot leave it, however long you wait: %s; %s says why, and what to do", node, counted(pods), field))
	}
}

// counted says how many pods there are, and names the first.
func counted(pods []string) string {
	if more := len(pods) - maxPodsNamed; more > 0 {
		return fmt.Sprintf("%d (%s and %d more)", len(pods), strings.Join(pods[:maxPodsNamed], ", "), more)
	}
	return fmt.Sprintf("%d (%s)", len(pods), strings.Join(pods, ", "))
}
