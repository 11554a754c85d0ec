// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// reasonNodeMaintenance tells conditions that this server set on a node from those that others
// set, which it leaves alone.
const reasonNodeMaintenance = "NodeMaintenance"

var lifecycleConditions = []corev1.NodeConditionType{
	corev1.NodeDrainInProgress, corev1.NodeDrained, corev1.NodeMaintenanceInProgress,
}

// ourConditions are the lifecycle conditions of the node that this server set.
func ourConditions(node *corev1.Node) []corev1.NodeCondition {
	var ours []corev1.NodeCondition
	for _, condition := range node.Status.Conditions {
		if condition.Reason == reasonNodeMaintenance && slices.Contains(lifecycleConditions, condition.Type) {
			ours = append(ours, condition)
		}
	}
	return ours
}

func sameCondition(a, b corev1.NodeCondition) bool { return a.Type == b.Type && a.Status == b.Status }

// conditionsPatch is a strategic merge patch of the node's status that has our lifecycle
// conditions say what wanted says, and takes away those of ours that it does not name. It is
// nil when they do already. A condition of another's reason is never touched.
func conditionsPatch(node *corev1.Node, wanted map[corev1.NodeConditionType]corev1.ConditionStatus, now metav1.Time) ([]byte, error) {
	var changes []any
	for _, kind := range lifecycleConditions {
		at := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == kind })
		status, isWanted := wanted[kind]
		switch {
		case at >= 0 && node.Status.Conditions[at].Reason != reasonNodeMaintenance:
		case isWanted && (at < 0 || node.Status.Conditions[at].Status != status):
			changes = append(changes, corev1.NodeCondition{
				Type: kind, Status: status, Reason: reasonNodeMaintenance, Message: "set by maintenance-apiserver",
				LastHeartbeatTime: now, LastTransitionTime: now,
			})
		case !isWanted && at >= 0:
			changes = append(changes, map[string]any{"$patch": "delete", "type": kind})
		}
	}
	if len(changes) == 0 {
		return nil, nil
	}
	patch, err := json.Marshal(map[string]any{
		// A new node of that name has no conditions of ours to change.
		"metadata": map[string]any{"uid": node.UID},
		"status":   map[string]any{"conditions": changes},
	})
	if err != nil {
		return nil, fmt.Errorf("could not encode conditions of node %s: %w", node.Name, err)
	}
	return patch, nil
}

// nodeDrains sums up the drains of one node: whether a hold asks for one, whether one is under
// way, and whether one that drains the whole node has found it empty.
type nodeDrains struct{ asked, underWay, empty bool }

// wantedConditions are the lifecycle conditions of a node that is held. A drain of selected pods
// that is done is under way no more, and yet does not make the node a drained one.
func wantedConditions(drains nodeDrains) map[corev1.NodeConditionType]corev1.ConditionStatus {
	wanted := map[corev1.NodeConditionType]corev1.ConditionStatus{corev1.NodeMaintenanceInProgress: corev1.ConditionTrue}
	if drains.asked {
		wanted[corev1.NodeDrainInProgress] = conditionStatus(drains.underWay && !drains.empty)
		wanted[corev1.NodeDrained] = conditionStatus(drains.empty)
	}
	return wanted
}

func conditionStatus(is bool) corev1.ConditionStatus {
	if is {
		return corev1.ConditionTrue
	}
	return corev1.ConditionFalse
}

// saveConditions brings the node's lifecycle conditions to what wanted says.
func (d *Drainer) saveConditions(ctx context.Context, memory *nodeMemory, node *corev1.Node, wanted map[corev1.NodeConditionType]corev1.ConditionStatus) error {
	said := conditionsSaid{resourceVersion: node.ResourceVersion, wanted: wanted}
	if memory.said.equal(said) {
		return nil // and the cache does not show it yet
	}
	patch, err := conditionsPatch(node, wanted, metav1.NewTime(d.config.Clock.Now()))
	if err != nil || patch == nil {
		return err
	}
	_, err = d.config.Kube.CoreV1().Nodes().Patch(ctx, node.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if err != nil {
		return fmt.Errorf("could not patch conditions of node %s: %w", node.Name, err)
	}
	memory.said = said
	return nil
}

// conditionsSaid is what we last had a node's conditions say, and for which version of it.
type conditionsSaid struct {
	resourceVersion string
	wanted          map[corev1.NodeConditionType]corev1.ConditionStatus
}

func (c conditionsSaid) equal(other conditionsSaid) bool {
	return c.resourceVersion == other.resourceVersion && maps.Equal(c.wanted, other.wanted)
}
