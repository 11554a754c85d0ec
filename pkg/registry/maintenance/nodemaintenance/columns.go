// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

const (
	// maxReasonRunes keeps a row on one line of a terminal.
	maxReasonRunes = 40
	// maxKeptRunes is how much is shown of what keeps a node from being given back: the policy, and what it waits for.
	maxKeptRunes = 100
	// terminating is the word that kubectl shows for pods and namespaces that are being deleted but are
	// not gone.
	terminating = "Terminating"
	// unreadable is what is shown of one that the server cannot read.
	unreadable = "Unreadable"
)

// table is what kubectl prints for NodeMaintenances.
var table = resource.Table[*v1beta1.NodeMaintenance]{
	nameColumn,
	resource.NewColumn("Node", "", "Node that is taken out of service", 0, func(nm *v1beta1.NodeMaintenance) any { return nm.Spec.NodeName }),
	resource.NewColumn("Phase", "", "How far the maintenance has come; Cordoned or PartiallyDrained where it is done and leaves pods on the node; Unreadable where the server cannot read it", 0, phaseCell),
	resource.NewColumn("Progress", "", "How much of the drain is done", 0, progressCell),
	resource.NewCountColumn("Pending", "Pods still to leave the node", 0, func(nm *v1beta1.NodeMaintenance) any { return int64(nm.Status.PendingPodCount) }),
	resource.NewColumn("Requestor", "", "User who holds the node", 0, func(nm *v1beta1.NodeMaintenance) any { return nm.Spec.Requestor }),
	resource.NewColumn("Reason", "", "Why the node is in maintenance, cut to fit", 0, reasonCell),
	ageColumn,
	resource.NewColumn("Stage", "", "How far the maintenance goes: Idle, Cordon or Drain", resource.Wide, func(nm *v1beta1.NodeMaintenance) any { return string(nm.Spec.Stage) }),
	resource.NewColumn("Blocked By", "", "What keeps pods from leaving the node, and how many; or what the maintenance waits for, or why the node is not given back", resource.Wide, blockedByCell),
	resource.NewColumn("Earliest", "", "Before when a maintenance that waits does not start", resource.Wide, earliestCell),
}

// NameAndAge is what kubectl prints for a NodeMaintenance of a group that has no columns of its own.
var NameAndAge = resource.Table[*v1beta1.NodeMaintenance]{nameColumn, ageColumn}

var (
	nameColumn = resource.NewColumn("Name", "name", "Name of the NodeMaintenance", 0, func(nm *v1beta1.NodeMaintenance) any { return nm.Name })
	ageColumn  = resource.NewAgeColumn[*v1beta1.NodeMaintenance]("Time since the NodeMaintenance was created", 0)
)

// phaseCell shows Succeeded only where no pod is left that a drain would evict: whoever reads it may
// switch the node off.
func phaseCell(nm *v1beta1.NodeMaintenance) any {
	switch {
	case v1beta1.WhyUnreadable(nm) != "":
		return unreadable
	case nm.DeletionTimestamp != nil:
		return terminating
	case nm.Status.Phase != v1beta1.PhaseSucceeded:
		return string(nm.Status.Phase)
	case nm.Spec.Stage == v1beta1.StageCordon:
		return string(v1beta1.NodeCordoned)
	case nm.Spec.Stage == v1beta1.StageDrain && !SaysEmpty(nm):
		return string(v1beta1.NodePartiallyDrained)
	default:
		return string(nm.Status.Phase)
	}
}

// progressCell shows no progress for holds that do not drain: 0% would look stuck.
func progressCell(nm *v1beta1.NodeMaintenance) any {
	if nm.Spec.Stage != v1beta1.StageDrain {
		return resource.None
	}
	return fmt.Sprintf("%d%%", ptr.Deref(nm.Status.DrainProgress, 0))
}

func reasonCell(nm *v1beta1.NodeMaintenance) any {
	// A line break in the reason would break the table.
	return cut(strings.Join(strings.Fields(nm.Spec.Reason), " "), maxReasonRunes)
}

// cut is the text with so many runes at most.
func cut(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-3]) + "..."
}

// blockedByCell names the first blocker, counts the other ones, and says how many pods are blocked in
// all. While the node is not taken out of service at all, it says why.
func blockedByCell(nm *v1beta1.NodeMaintenance) any {
	if len(nm.Status.Blockers) == 0 {
		return notStartedCell(nm)
	}
	obstacles := map[string]bool{}
	for _, blocker := range nm.Status.Blockers {
		obstacles[Obstacle(blocker)] = true
	}
	cell := Obstacle(nm.Status.Blockers[0])
	if more := len(obstacles) - 1; more > 0 {
		cell += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s (%s)", cell, english.Plural(int(nm.Status.BlockedPodCount), "pod", ""))
}

// notStartedCell is what the hold waits for, or why else the node is not cordoned: NodeNotFound, for example. Of a hold
// that asks for nothing any more, it is what keeps the node from being given back.
func notStartedCell(nm *v1beta1.NodeMaintenance) string {
	if released := apimeta.FindStatusCondition(nm.Status.Conditions, v1beta1.ConditionReleased); released != nil {
		return cut(released.Message, maxKeptRunes)
	}
	if waits := waitsCell(nm); waits != "" {
		return waits
	}
	cordoned := apimeta.FindStatusCondition(nm.Status.Conditions, v1beta1.ConditionCordoned)
	if nm.DeletionTimestamp != nil || nm.Spec.Stage == v1beta1.StageIdle || cordoned == nil || cordoned.Status == metav1.ConditionTrue {
		return resource.None
	}
	return cordoned.Reason
}

// Obstacle names the objects of a blocker, each as "kind namespace/name", or the blocker's reason when it
// has no object.
func Obstacle(blocker v1beta1.DrainBlocker) string {
	if blocker.Object == "" {
		return string(blocker.Reason)
	}
	objects := strings.Split(blocker.Object, ",")
	for i, object := range objects {
		objects[i] = strings.Replace(object, "/", " ", 1)
	}
	return strings.Join(objects, ", ")
}
