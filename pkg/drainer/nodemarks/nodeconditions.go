// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemarks

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reasonNodeMaintenance is the reason of the node conditions that this server sets. The server does not
// change conditions with other reasons.
const reasonNodeMaintenance = "NodeMaintenance"

var lifecycleConditions = []corev1.NodeConditionType{
	corev1.NodeDrainInProgress, corev1.NodeDrained, corev1.NodeMaintenanceInProgress, corev1.NodeMaintenancePlanned,
}

// SameCondition says whether two conditions say the same.
func SameCondition(a, b corev1.NodeCondition) bool { return a.Type == b.Type && a.Status == b.Status }

// NodeConditions are the statuses of lifecycle conditions. A condition that is missing is not on the
// node.
type NodeConditions map[corev1.NodeConditionType]corev1.ConditionStatus

// ConditionsPatch is a strategic merge patch of the node's status. It sets our lifecycle conditions
// to what is wanted, and removes those of ours that are not wanted. It is nil when nothing is to be
// changed. A condition with another's reason is never touched.
func ConditionsPatch(node *corev1.Node, wanted NodeConditions, now metav1.Time) ([]byte, error) {
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
