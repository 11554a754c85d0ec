// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// hypothetical is the UID of a hold that does not exist.
const hypothetical = types.UID("hypothetical")

// Forecast says whether the hold would start now, which need not exist. With the UID of a hold of the facts, it stands
// for that one. nil: no policy selects its node, and it does not wait for its own reasons.
func Forecast(f Facts, hold *v1beta1.NodeMaintenance) *v1beta1.AdmissionForecast {
	return new(Decider).Forecast(f, hold)
}

// Forecast is the function Forecast.
func (d *Decider) Forecast(f Facts, hold *v1beta1.NodeMaintenance) *v1beta1.AdmissionForecast {
	asked := hold.DeepCopy()
	if asked.UID == "" {
		asked.UID = hypothetical
	}
	if asked.CreationTimestamp.IsZero() {
		asked.CreationTimestamp = metav1.NewTime(f.Now)
	}
	others := slices.DeleteFunc(slices.Clone(f.Holds), func(h *v1beta1.NodeMaintenance) bool { return h.UID == asked.UID })
	f.Holds = append(others, asked)
	answer, told := d.Decide(f).Holds[asked.UID]
	if !told {
		return nil
	}
	return &v1beta1.AdmissionForecast{
		StartsNow: len(answer.Waits) == 0, WaitingFor: answer.Waits, EarliestStartTime: metaTime(answer.Earliest), Positions: answer.Positions,
	}
}

// Queue is the queue of a policy. It has no metadata.
func Queue(f Facts, policy string) *v1beta1.MaintenancePolicyQueue {
	return new(Decider).Queue(f, policy)
}

// Queue is the function Queue.
func (d *Decider) Queue(f Facts, policy string) *v1beta1.MaintenancePolicyQueue {
	outcome := d.Decide(f)
	holds := make(map[types.UID]*v1beta1.NodeMaintenance, len(f.Holds))
	for _, h := range f.Holds {
		holds[h.UID] = h
	}
	queue := &v1beta1.MaintenancePolicyQueue{Items: []v1beta1.QueuedMaintenance{}}
	for _, uid := range outcome.Policies[policy].Queue {
		queue.Items = append(queue.Items, queued(holds[uid], outcome.Holds[uid], policy))
	}
	return queue
}

// queued is a hold in the queue of a policy.
func queued(h *v1beta1.NodeMaintenance, answer HoldOutcome, policy string) v1beta1.QueuedMaintenance {
	item := v1beta1.QueuedMaintenance{
		Name: h.Name, Node: h.Spec.NodeName, Requestor: h.Spec.Requestor, Priority: h.Spec.Priority, Since: h.CreationTimestamp,
		WaitingFor: answer.Waits, EarliestStartTime: metaTime(answer.Earliest),
	}
	for _, position := range answer.Positions {
		if position.Policy == policy {
			item.Position = position.Position
		}
	}
	return item
}

// Preview is what the status of a policy would say, which need not exist or may differ from the one of its name in the
// facts. It has no nextOpenings.
func Preview(f Facts, policy *v1beta1.MaintenancePolicy) v1beta1.MaintenancePolicyStatus {
	return new(Decider).Preview(f, policy)
}

// Preview is the function Preview.
func (d *Decider) Preview(f Facts, policy *v1beta1.MaintenancePolicy) v1beta1.MaintenancePolicyStatus {
	others := slices.DeleteFunc(slices.Clone(f.Policies), func(p *v1beta1.MaintenancePolicy) bool { return p.Name == policy.Name })
	f.Policies = append(others, policy)
	return d.Decide(f).Policies[policy.Name].Status
}
