// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeprofile

import (
	"cmp"

	metatable "k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

const (
	// none is what kubectl shows where there is nothing to show.
	none = "<none>"
	// unknown is what kubectl shows where the server has not looked at the node yet.
	unknown = "<unknown>"
	// wide is the priority of the columns that only -o wide shows.
	wide = 1
)

// table is what kubectl prints for NodeProfiles.
var table = resource.Table[*v1beta1.NodeProfile]{
	column("Name", "string", "name", "Name of the NodeProfile, as decisions need it", 0, func(n *v1beta1.NodeProfile) any { return n.Name }),
	column("Node", "string", "", "Name of the node", 0, func(n *v1beta1.NodeProfile) any { return n.Spec.NodeName }),
	column("Profile", "string", "", "Name of the MaintenanceProfile", 0, func(n *v1beta1.NodeProfile) any { return n.Spec.Profile }),
	column("State", "string", "", "State that the profile is in on the node", 0, func(n *v1beta1.NodeProfile) any { return cmp.Or(string(n.Status.State), unknown) }),
	column("Since", "string", "", "Time since the state was entered", 0, func(n *v1beta1.NodeProfile) any {
		if n.Status.Since == nil {
			return unknown
		}
		return metatable.ConvertToHumanReadableDateType(*n.Status.Since)
	}),
	column("Waiting For", "string", "", "What the node waits for", 0, func(n *v1beta1.NodeProfile) any { return cmp.Or(n.Status.WaitingFor, none) }),
	column("Doing", "string", "", "Transition that is being done", wide, func(n *v1beta1.NodeProfile) any {
		if n.Status.Transition == nil {
			return none
		}
		return n.Status.Transition.Name
	}),
	column("Sequence", "integer", "", "How many states were entered; decisions are for one of them", wide, func(n *v1beta1.NodeProfile) any { return n.Status.Sequence }),
	column("Age", "string", "", "Time since the profile came to the node", wide, func(n *v1beta1.NodeProfile) any {
		return metatable.ConvertToHumanReadableDateType(n.CreationTimestamp)
	}),
}

func column(name, kind, format, description string, priority int32, cell func(*v1beta1.NodeProfile) any) resource.Column[*v1beta1.NodeProfile] {
	return resource.Column[*v1beta1.NodeProfile]{
		Heading: metav1.TableColumnDefinition{Name: name, Type: kind, Format: format, Description: description, Priority: priority},
		Cell:    cell,
	}
}
