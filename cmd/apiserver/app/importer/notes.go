// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// notes are what an admin should know of an object before it is imported.
func (w world) notes(o object, node *corev1.Node, hold string) []string {
	var notes []string
	switch {
	case node == nil:
		notes = append(notes, fmt.Sprintf("node %s does not exist", o.Spec.NodeName))
	case o.tookOut(node):
		notes = append(notes, o.outNotes(node)...)
	case o.stage(node) == v1beta1.StageIdle:
		notes = append(notes, fmt.Sprintf("%s, and node %s stays in service; to take it out: "+
			`kubectl patch nodemaintenances.%s %s --type=merge -p '{"spec":{"stage":"Drain"}}'`, o.leftAlone(), node.Name, v1beta1.GroupName, hold))
	case ours(node):
		notes = append(notes, fmt.Sprintf("the operator has not touched node %s, which this server has in maintenance already: it is given "+
			"back when all holds of it have ended", node.Name))
	default:
		notes = append(notes, fmt.Sprintf("the operator has not touched node %s yet: it is cordoned and drained now, and at the end it is what it is like now; to prevent that, delete the object first", node.Name))
	}
	if o.doomed {
		notes = append(notes, fmt.Sprintf("it is being deleted only because its CRD is: its hold stays, and the node too, until you delete the hold (%s)", hold))
	}
	return append(notes, w.neighbours(o, node)...)
}

// leftAlone says why the operator has left the node in service.
func (o object) leftAlone() string {
	if o.lease.other != "" {
		return fmt.Sprintf("%s has the lease of the node, so the operator waits", o.lease.other)
	}
	return "the operator gave up"
}

// outNotes are those about a node that the operator has taken out of service.
func (o object) outNotes(node *corev1.Node) []string {
	var notes []string
	if !node.Spec.Unschedulable && !o.ending() {
		notes = append(notes, fmt.Sprintf("somebody has uncordoned node %s: it is cordoned again", node.Name))
	}
	if o.Status.Phase == phaseSucceeded && o.lastWrite() == nil {
		notes = append(notes, "its status does not say when the node was drained: the time of the import counts")
	}
	return notes
}

// neighbours are notes about other maintenances of the node.
func (w world) neighbours(o object, node *corev1.Node) []string {
	var notes []string
	for _, other := range w.objects {
		if other.UID != o.UID && other.Spec.NodeName == o.Spec.NodeName {
			notes = append(notes, fmt.Sprintf("%s is for the same node: it is given back when both have ended", other))
		}
	}
	for i := range w.holds {
		if hold := &w.holds[i]; hold.Spec.NodeName == o.Spec.NodeName && foundCordoned(hold) && o.tookOut(node) {
			notes = append(notes, fmt.Sprintf("NodeMaintenance %s found node %s cordoned: if it ends last, the node stays so", hold.Name, node.Name))
		}
	}
	return notes
}

func foundCordoned(hold *v1beta1.NodeMaintenance) bool {
	return hold.Status.NodeBefore != nil && hold.Status.NodeBefore.Unschedulable
}
