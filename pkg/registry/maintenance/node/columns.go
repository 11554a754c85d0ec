// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"
	"slices"
	"strings"

	metatable "k8s.io/apimachinery/pkg/api/meta/table"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// maxRequestorsShown keeps a row on one line of a terminal; -o wide shows more.
const maxRequestorsShown = 2

// Table is what kubectl prints for nodes.
var Table = resource.Table[*v1beta1.NodeState]{
	resource.NewColumn("Node", "name", "Name of the node", 0, func(n *v1beta1.NodeState) any { return n.Name }),
	resource.NewColumn("State", "", "InService, Unschedulable, Pending, Cordoned, Draining, Failed, PartiallyDrained, Drained or Releasing", 0,
		func(n *v1beta1.NodeState) any { return string(n.Status.State) }),
	resource.NewColumn("Progress", "", "How much of the drain is done", 0, progressCell),
	resource.NewCountColumn("Holds", "NodeMaintenances that keep the node", 0, func(n *v1beta1.NodeState) any { return int64(n.Status.HoldCount) }),
	resource.NewColumn("Requestors", "", "Users who hold the node", 0, requestorsCell),
	resource.NewColumn("Since", "", "Time since the oldest of them was created", 0, sinceCell),
}

func progressCell(n *v1beta1.NodeState) any {
	if n.Status.DrainProgress == nil {
		return resource.None
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
		return resource.None
	}
	cell := strings.Join(requestors[:min(len(requestors), maxRequestorsShown)], ",")
	if more := len(requestors) - maxRequestorsShown; more > 0 {
		cell += fmt.Sprintf(" and %d more", more)
	}
	return cell
}

func sinceCell(n *v1beta1.NodeState) any {
	if n.Status.Since == nil {
		return resource.None
	}
	return metatable.ConvertToHumanReadableDateType(*n.Status.Since)
}
