// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Forecast says whether the hold would start now, which need not exist. With the UID of a hold of the facts, it stands
// for that one. nil: no policy selects its node, and it does not wait for its own reasons.
func Forecast(f Facts, hold *v1beta1.NodeMaintenance) *v1beta1.AdmissionForecast {
	return new(Decider).Forecast(f, hold)
}

// Forecast is the function Forecast.
func (d *Decider) Forecast(f Facts, hold *v1beta1.NodeMaintenance) *v1beta1.AdmissionForecast {
	return nil
}

// Queue is the queue of a policy. It has no metadata.
func Queue(f Facts, policy string) *v1beta1.MaintenancePolicyQueue {
	return new(Decider).Queue(f, policy)
}

// Queue is the function Queue.
func (d *Decider) Queue(f Facts, policy string) *v1beta1.MaintenancePolicyQueue {
	return &v1beta1.MaintenancePolicyQueue{}
}

// Preview is what the status of a policy would say, which need not exist or may differ from the one of its name in the
// facts. It has no nextOpenings.
func Preview(f Facts, policy *v1beta1.MaintenancePolicy) v1beta1.MaintenancePolicyStatus {
	return new(Decider).Preview(f, policy)
}

// Preview is the function Preview.
func (d *Decider) Preview(f Facts, policy *v1beta1.MaintenancePolicy) v1beta1.MaintenancePolicyStatus {
	return v1beta1.MaintenancePolicyStatus{}
}
