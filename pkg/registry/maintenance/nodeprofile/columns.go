// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeprofile

import (
	"cmp"

	metatable "k8s.io/apimachinery/pkg/api/meta/table"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// table is what kubectl prints for NodeProfiles.
var table = resource.Table[*v1beta1.NodeProfile]{
	resource.NewColumn("Name", "name", "Name of the NodeProfile, as decisions need it", 0, func(n *v1beta1.NodeProfile) any { return n.Name }),
	resource.NewColumn("Node", "", "Name of the node", 0, func(n *v1beta1.NodeProfile) any { return n.Spec.NodeName }),
	resource.NewColumn("Profile", "", "Name of the MaintenanceProfile", 0, func(n *v1beta1.NodeProfile) any { return n.Spec.Profile }),
	resource.NewColumn("State", "", "State that the profile is in on the node", 0, func(n *v1beta1.NodeProfile) any { return cmp.Or(string(n.Status.State), resource.Unknown) }),
	resource.NewColumn("Since", "", "Time since the state was entered", 0, func(n *v1beta1.NodeProfile) any {
		if n.Status.Since == nil {
			return resource.Unknown
		}
		return metatable.ConvertToHumanReadableDateType(*n.Status.Since)
	}),
	resource.NewColumn("Waiting For", "", "What the node waits for", 0, func(n *v1beta1.NodeProfile) any { return cmp.Or(n.Status.WaitingFor, resource.None) }),
	resource.NewColumn("Doing", "", "Transition that is being done", resource.Wide, func(n *v1beta1.NodeProfile) any {
		if n.Status.Transition == nil {
			return resource.None
		}
		return n.Status.Transition.Name
	}),
	resource.NewCountColumn("Sequence", "How many states were entered; decisions are for one of them", resource.Wide, func(n *v1beta1.NodeProfile) any { return n.Status.Sequence }),
	resource.NewAgeColumn[*v1beta1.NodeProfile]("Time since the profile came to the node", resource.Wide),
}
