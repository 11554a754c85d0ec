// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"slices"

	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/maintenance/node"
)

// Fleet knows what the MaintenancePolicies of the cluster say.
type Fleet interface {
	// Waiting has, for each node with a hold that waits, what becomes of its holds: one forecast each.
	Waiting(ctx context.Context) (map[string][]v1beta1.AdmissionForecast, error)
}

// showWaits puts into states for an answer why their holds wait now, with the places in the queues. The fleet is not
// asked if no hold of them waits. If it cannot be asked, they show what the holds themselves say.
func (r *REST) showWaits(ctx context.Context, states []v1beta1.NodeState) {
	if r.fleet == nil || !anyWaits(states) {
		return
	}
	waiting, err := r.fleet.Waiting(ctx)
	if err != nil {
		klog.FromContext(ctx).V(2).Info("Could not tell the places of nodes in queues", "err", err)
		return
	}
	for i := range states {
		if forecasts := waiting[states[i].Name]; len(forecasts) > 0 {
			states[i].Status.Admission = node.Admission(forecasts)
		}
	}
}

// anyWaits says whether a hold of a node waits, or is so new that nobody has said yet whether it does.
func anyWaits(states []v1beta1.NodeState) bool {
	return slices.ContainsFunc(states, func(state v1beta1.NodeState) bool {
		return state.Status.Admission != nil || state.Status.State == v1beta1.NodePending
	})
}
