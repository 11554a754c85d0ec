// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package controlplane says which nodes are those of the control plane.
package controlplane

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// roles are the labels of which a member of the control plane has one, with any value. The second is the
// name of earlier versions of Kubernetes.
var roles = []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}

// Member says whether the node is a member of the control plane, as its labels say. Nil is not.
func Member(node *corev1.Node) bool {
	return node != nil && slices.ContainsFunc(roles, func(role string) bool {
		_, found := node.Labels[role]
		return found
	})
}
