// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenancepolicy

import (
	"fmt"
	"time"

	metatable "k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

const (
	// none is what kubectl shows where there is nothing to show.
	none = "<none>"
	// unknown is what kubectl shows where the server has not looked at the policy yet.
	unknown = "<unknown>"
	// wide is the priority of the columns that only -o wide shows.
	wide = 1
)

// newTable returns what kubectl prints for MaintenancePolicies.
func newTable() resource.Table[*v1beta1.MaintenancePolicy] {
	return resource.Table[*v1beta1.MaintenancePolicy]{
		column("Name", "name", "Name of the MaintenancePolicy", 0, func(p *v1beta1.MaintenancePolicy) any { return p.Name }),
		column("Nodes", "", "Nodes that the policy selects", 0, observed(func(s *v1beta1.MaintenancePolicyStatus) any { return s.Selected })),
		column("In Maintenance", "", "Nodes in maintenance, with those that soak, of how many may be", 0,
			observed(func(s *v1beta1.MaintenancePolicyStatus) any { return ofLimit(s.InMaintenance, s.MaxConcurrent) })),
		column("Unavailable", "", "Nodes out of service for any cause, of how many may be", 0,
			observed(func(s *v1beta1.MaintenancePolicyStatus) any { return ofLimit(s.Unavailable, s.MaxUnavailable) })),
		column("Waiting", "", "Nodes that wait for the policy", 0, observed(func(s *v1beta1.MaintenancePolicyStatus) any { return s.Waiting })),
		column("Open", "", "Whether maintenance may start, apart from the limits, and until when that stays so", 0, func(p *v1beta1.MaintenancePolicy) any {
			return openCell(p, time.Now())
		}),
		column("Age", "", "Time since the MaintenancePolicy was created", 0, func(p *v1beta1.MaintenancePolicy) any {
			return metatable.ConvertToHumanReadableDateType(p.CreationTimestamp)
		}),
		column("Max Concurrent", "", "How many nodes may be in maintenance, as the spec says", wide, func(p *v1beta1.MaintenancePolicy) any { return limitCell(p.Spec.Limits.MaxConcurrent) }),
		column("Max Unavailable", "", "How many nodes may be out of service, as the spec says", wide, func(p *v1beta1.MaintenancePolicy) any { return limitCell(p.Spec.Limits.MaxUnavailable) }),
		column("Topology", "", "Limits for each group of nodes, and of the number of groups", wide, topologyCell),
		column("Pace", "", "How many nodes may start in which time", wide, paceCell),
		column("Selector", "", "Which nodes the policy selects", wide, selectorCell),
	}
}

type policyColumn = resource.Column[*v1beta1.MaintenancePolicy]

func column(name, format, description string, priority int32, cell func(*v1beta1.MaintenancePolicy) any) policyColumn {
	return policyColumn{
		Heading: metav1.TableColumnDefinition{
			Name: name, Type: "string", Format: format, Description: description, Priority: priority,
		},
		Cell: cell,
	}
}

// observed shows nothing of a status that has not been written yet: zeros would look like facts.
func observed(cell func(*v1beta1.MaintenancePolicyStatus) any) func(*v1beta1.MaintenancePolicy) any {
	return func(policy *v1beta1.MaintenancePolicy) any {
		if policy.Status.ObservedGeneration == 0 {
			return unknown
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
		return none
	}
	return limit.String()
}

func selectorCell(policy *v1beta1.MaintenancePolicy) any {
	if policy.Spec.NodeSelector == nil {
		return none
	}
	return metav1.FormatLabelSelector(policy.Spec.NodeSelector)
}
