// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package replacement

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// NodeClaim is what a machine says itself of its node.
type NodeClaim struct {
	// Name and UID are those of its status.nodeRef. Both are empty while it has no node. Cluster API's v1beta2 has no UID.
	Name string
	UID  types.UID
	// ProviderID is its id at the cloud, which is that of its node, too.
	ProviderID string
}

// Means says whether the machine names the node, and proves it by the node's UID or by the id at its cloud. A name alone
// proves nothing: machines of other clusters may have nodes of that name.
func (c NodeClaim) Means(node *corev1.Node) bool {
	sameUID := c.UID != "" && c.UID == node.UID
	sameID := c.ProviderID != "" && c.ProviderID == node.Spec.ProviderID
	otherUID := c.UID != "" && !sameUID
	otherID := c.ProviderID != "" && node.Spec.ProviderID != "" && !sameID
	return c.Name == node.Name && (sameUID || sameID) && !otherUID && !otherID
}
