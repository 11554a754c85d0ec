// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduledevent

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// NodesOf returns the names of the nodes of a machine at the cloud.
func NodesOf(instanceID string, nodes []*corev1.Node) []string {
	var names []string
	for _, node := range nodes {
		if v1beta1.InstanceID(node.Spec.ProviderID) == instanceID {
			names = append(names, node.Name)
		}
	}
	return names
}
