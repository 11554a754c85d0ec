// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package holdstatus

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Change is something that was done to a node or to its holds. The reporter tells of it.
type Change interface {
	// Events returns the events that tell of the change.
	Events() []Event
}

// StatusWritten says that the status of a hold was written.
type StatusWritten struct {
	Hold      Hold
	Old, Next v1beta1.NodeMaintenanceStatus
}

// NodeCordoned says that a node was cordoned or, as a repair, cordoned again.
type NodeCordoned struct {
	Node  string
	Holds []Hold
	// Changes are what the cordon changed, in words.
	Changes []string
	Repair  bool
}

// NodeGivenBack says that our marks were taken off a node.
type NodeGivenBack struct {
	Node  string
	Holds []Hold
	// CordonedBefore says that the node was cordoned before its maintenance, and stays so.
	CordonedBefore bool
}

// NodeUnread says that holds on a node cannot be read.
type NodeUnread struct {
	Node string
	// Holds are their names, each with why.
	Holds []string
}

// NodeLeftBehind says that a node without holds carries the marks of another store's server.
type NodeLeftBehind struct{ Node, StoreID string }

// HoldEnded says that the finalizer of a hold was removed.
type HoldEnded struct {
	Hold Hold
	// NodeKept says that other holds keep the node in maintenance.
	NodeKept bool
}

// HoldExpired says that a hold was deleted because its time was over.
type HoldExpired struct {
	Hold Hold
	End  metav1.Time
}

// DrainBlocked says that a drain has been blocked for long, or for good.
type DrainBlocked struct {
	Hold   Hold
	Status v1beta1.NodeMaintenanceStatus
}
