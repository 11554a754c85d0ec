// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// joinTime is how long a new node may be not Ready before it counts.
const joinTime = 10 * time.Minute

// readiness says whether the node is Ready, and since when: since it exists if it does not say so.
func readiness(node *corev1.Node) (ready bool, since time.Time) {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue, c.LastTransitionTime.Time
		}
	}
	return false, node.CreationTimestamp.Time
}

// joining says whether the node has not been Ready yet, most likely, and so counts nowhere.
func joining(node *corev1.Node, now time.Time) bool {
	ready, _ := readiness(node)
	return !ready && now.Sub(node.CreationTimestamp.Time) < joinTime
}
