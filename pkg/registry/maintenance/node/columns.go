// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"
	"slices"
	"strings"

	metatable "k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

const (
	// none is what kubectl shows where there is nothing to show.
	none = "<none>"
	// maxRequestorsShown keeps a row on one line of a terminal; -o wide shows more.
	maxRequestorsShown = 2
)

// Table is what kubectl prints for nodes.
var Table = resource.Table[*v1beta1.NodeState]{
	column("Node", "name", "Name of the node", func(n *v1beta1.NodeState) any { return n.Name }),
	column("State", "", "InService, Unschedulable, Pending, Cordoned, Draining, Failed, PartiallyDrained, Drained or Releasing",
		func(n *v1beta1.NodeState) any { return string(n.Status.State) }),
	column("Progress", "", "How much of the drain is done", progressCell),
	{
		Heading: metav1.TableColumnDefinition{Name: "Holds", Type: "integer", Description: "NodeMaintenances that keep the node"},
		Cell:    func(n *v1beta1.NodeState) any { return int64(n.Status.HoldCount) },
	},
	column("Requestors", "", "Users who hold the node", requestorsCell),
	column("Since", "", "Time since the oldest of them was created", sinceCell),
}

func column(name, format, description string, cell func(*v1beta1.NodeState) any) resource.Column[*v1beta1.NodeState] {
	return resource.Column[*v1beta1.NodeState]{
		Heading: metav1.TableColumnDefinition{Name: name, Type: "string", Format: format, Description: description}, Cell: cell,
	}
}

func progressCell(n *v1beta1.NodeState) any {
	if n.Status.DrainProgress == nil {
		return none
	}
	return fmt.Sprintf("%d%%", *n.Status.DrainProgress)
}

func requestorsCell(n *v1beta1.NodeState) any {
	var requestors []string
	for _, hold := range n.Status.Holds {
		if !slices.Contains(requestors, hold.Requestor) {
			requestors = append(requestors, hold.Requestor)
		}
	}
	if len(requestors) == 0 {
		return none
	}
	cell := strings.Join(requestors[:min(len(requestors), maxRequestorsShown)], ",")
	if more := len(requestors) - maxRequestorsShown; more > 0 {
		cell += fmt.Sprintf(" and %d more", more)
	}
	return cell
}

func sinceCell(n *v1beta1.NodeState) any {
	if n.Status.Since == nil {
		return none
	}
	return metatable.ConvertToHumanReadableDateType(*n.Status.Since)
}
