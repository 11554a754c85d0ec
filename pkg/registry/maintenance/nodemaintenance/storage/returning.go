// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"

	"k8s.io/apiserver/pkg/warning"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// warnOfReturns warns of pods that come back to the node as fast as they are evicted.
func warnOfReturns(ctx context.Context, node string, plan *v1beta1.DrainPlanStatus) {
	if pods := plan.ReturningPods; len(pods) > 0 {
		warning.AddWarning(ctx, "", fmt.Sprintf("pods of node %q will come back, so that it is never drained: %s: "+
			"their controllers put them on this node whether it is cordoned or not: remove that, scale them down, "+
			"or leave these pods alone with action Skip in spec.drain.rules", node, counted(pods)))
	}
}
