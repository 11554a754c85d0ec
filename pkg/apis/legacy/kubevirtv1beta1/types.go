// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package kubevirtv1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeMaintenance takes one node out of service while it exists. Creating it cordons and drains the node.
// Deleting it gives the node back. It is the NodeMaintenance of maintenance.medik8s.io under its old name,
// which shows less of it.
type NodeMaintenance struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object's metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired maintenance.
	// +optional
	Spec NodeMaintenanceSpec `json:"spec,omitempty"`
	// status is the progress of the maintenance. Only the server writes it.
	// +optional
	Status NodeMaintenanceStatus `json:"status,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeMaintenanceList is a list of NodeMaintenances.
type NodeMaintenanceList struct {
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the NodeMaintenances.
	Items []NodeMaintenance `json:"items"`
}

// NodeMaintenanceSpec says which node is taken out of service, and why.
type NodeMaintenanceSpec struct {
	// nodeName is the name of the node to take out of service. The node must exist, and must have no other
	// NodeMaintenance. Required. Immutable.
	NodeName string `json:"nodeName"`
	// reason is why the node is in maintenance, for other people to read. At most 1,024 characters on one
	// line, without control characters and invisible ones.
	// +optional
	Reason string `json:"reason,omitempty"`
}

// NodeMaintenanceStatus is the progress of a maintenance.
type NodeMaintenanceStatus struct {
	// phase is Running while the node is being taken out of service and drained, or waits for that,
	// Succeeded when no pod is left that a drain evicts, and Failed if pods are left after a deadline, or
	// the lease of the node was lost. Failed is not final: the maintenance goes on when it can.
	// +optional
	Phase string `json:"phase,omitempty"`
	// lastError is the most recent error, or what the maintenance waits for. It is empty if there is none,
	// and on success.
	// +optional
	LastError string `json:"lastError,omitempty"`
	// pendingPods are the names, without namespaces, of the pods that have yet to leave the node. At most
	// 100 are listed.
	// +optional
	// +listType=atomic
	PendingPods []string `json:"pendingPods,omitempty"`
	// totalpods is how many pods were on the node when the drain began, with those that stay. It grows if
	// more come than leave.
	// +optional
	TotalPods int32 `json:"totalpods,omitempty"`
	// evictionPods is how many pods the drain removes, including those that are gone already.
	// +optional
	EvictionPods int32 `json:"evictionPods,omitempty"`
	// errorOnLeaseCount is how many times in a row the lease of the node could not be taken or renewed.
	// +optional
	ErrorOnLeaseCount int32 `json:"errorOnLeaseCount,omitempty"`
}
