// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenancepolicy

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// newTable returns what kubectl prints for MaintenancePolicies.
func newTable() resource.Table[*v1beta1.MaintenancePolicy] {
	return resource.Table[*v1beta1.MaintenancePolicy]{
		resource.NewColumn("Name", "name", "Name of the MaintenancePolicy", 0, func(p *v1beta1.MaintenancePolicy) any { return p.Name }),
		resource.NewColumn("Nodes", "", "Nodes that the policy selects", 0, observed(func(s *v1beta1.MaintenancePolicyStatus) any { return s.Selected })),
		resource.NewColumn("In Maintenance", "", "Nodes in maintenance, with those that soak, of how many may be", 0,
			observed(func(s *v1beta1.MaintenancePolicyStatus) any { return ofLimit(s.InMaintenance, s.MaxConcurrent) })),
		resource.NewColumn("Unavailable", "", "Nodes out of service for any cause, of how many may be", 0,
			observed(func(s *v1beta1.MaintenancePolicyStatus) any { return ofLimit(s.Unavailable, s.MaxUnavailable) })),
		resource.NewColumn("Waiting", "", "Nodes that wait for the policy", 0, observed(func(s *v1beta1.MaintenancePolicyStatus) any { return s.Waiting })),
		resource.NewColumn("Open", "", "Whether maintenance may start, apart from the limits, and until when that stays so", 0, func(p *v1beta1.MaintenancePolicy) any {
			return openCell(p, time.Now())
		}),
		resource.NewAgeColumn[*v1beta1.MaintenancePolicy]("Time since the MaintenancePolicy was created", 0),
		resource.NewColumn("Max Concurrent", "", "How many nodes may be in maintenance, as the spec says", resource.Wide, func(p *v1beta1.MaintenancePolicy) any { return limitCell(p.Spec.Limits.MaxConcurrent) }),
		resource.NewColumn("Max Unavailable", "", "How many nodes may be out of service, as the spec says", resource.Wide, func(p *v1beta1.MaintenancePolicy) any { return limitCell(p.Spec.Limits.MaxUnavailable) }),
		resource.NewColumn("Topology", "", "Limits for each group of nodes, and of the number of groups", resource.Wide, topologyCell),
		resource.NewColumn("Pace", "", "How many nodes may start in which time", resource.Wide, paceCell),
		resource.NewColumn("Selector", "", "Which nodes the policy selects", resource.Wide, selectorCell),
	}
}

// observed shows nothing of a status that has not been written yet: zeros would look like facts.
func observed(cell func(*v1beta1.MaintenancePolicyStatus) any) func(*v1beta1.MaintenancePolicy) any {
	return func(policy *v1beta1.MaintenancePolicy) any {
		if policy.Status.ObservedGeneration == 0 {
			return resource.Unknown
		}
		return fmt.Sprint(cell(&policy.Status))
	}
}

// ofLimit is a count, and the limit for it if there is one: 2/3.
func ofLimit(count int32, limit *int32) string {
	if limit == nil {
		return fmt.Sprint(count)
	}
	return fmt.Sprintf("%d/%d", count, *limit)
}

func limitCell(limit *intstr.IntOrString) any {
	if limit == nil {
		return resource.None
	}
	return limit.String()
}

func selectorCell(policy *v1beta1.MaintenancePolicy) any {
	if policy.Spec.NodeSelector == nil {
		return resource.None
	}
	return metav1.FormatLabelSelector(policy.Spec.NodeSelector)
}
