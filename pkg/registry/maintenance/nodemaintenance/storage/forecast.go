// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apiserver/pkg/warning"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Fleet knows what the MaintenancePolicies of the cluster say. It changes nothing, and without policies it answers at
// once.
type Fleet interface {
	// Forecast says whether the hold, stored or not, would start now, and if not, why, in one line. It returns nil if no
	// policy selects its node, and it does not wait by itself.
	Forecast(ctx context.Context, hold *v1beta1.NodeMaintenance) (forecast *v1beta1.AdmissionForecast, why string, err error)
}

// forecast says whether the hold, stored or not, would start now; nil if nothing can have it wait.
func (r *REST) forecast(ctx context.Context, hold *v1beta1.NodeMaintenance) (forecast *v1beta1.AdmissionForecast, why string, err error) {
	if r.fleet == nil || hold.Spec.Stage == v1beta1.StageIdle {
		return nil, "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, planTimeout)
	defer cancel()
	return r.fleet.Forecast(ctx, hold.DeepCopy())
}

// tellWait warns if a hold that was written is going to wait. For a dry run it also completes status.plan.
func (r *REST) tellWait(ctx context.Context, hold *v1beta1.NodeMaintenance, dryRun bool) {
	forecast, why, err := r.forecast(ctx, hold)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Could not tell whether a hold waits", "nodeMaintenance", hold.Name, "node", hold.Spec.NodeName)
		if dryRun {
			warning.AddWarning(ctx, "", fmt.Sprintf("status.plan.admission is missing: %s", err))
		}
		return
	}
	if forecast == nil {
		return
	}
	if !forecast.StartsNow && !waitsForItsNode(forecast) {
		warning.AddWarning(ctx, "", fmt.Sprintf("maintenance of node %q waits: %s", hold.Spec.NodeName, sentence(why, forecast)))
	}
	if dryRun && hold.Status.Plan != nil {
		hold.Status.Plan.Admission = forecast
	}
}

// waitsForItsNode says whether the hold waits for its node to appear, of which a warning of its own tells.
func waitsForItsNode(forecast *v1beta1.AdmissionForecast) bool {
	return slices.ContainsFunc(forecast.WaitingFor, func(wait v1beta1.AdmissionWait) bool {
		return wait.Reason == v1beta1.AdmissionNodeNotFound
	})
}

// sentence says what a hold waits for, which places it has in the queues, and when it starts at the earliest.
func sentence(why string, forecast *v1beta1.AdmissionForecast) string {
	parts := []string{why}
	for _, place := range forecast.Positions {
		parts = append(parts, fmt.Sprintf("place %d of %d in the queue of policy %q", place.Position, place.Of, place.Policy))
	}
	if earliest := forecast.EarliestStartTime; earliest != nil {
		parts = append(parts, "it does not start before "+earliest.UTC().Format(time.RFC3339))
	}
	return strings.Join(parts, "; ")
}
