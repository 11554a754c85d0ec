// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// change is something that was done to a node or to its holds. The reporter tells of it.
type change interface {
	// events returns the events that tell of the change.
	events() []event
}

// statusWritten says that the status of a hold was written.
type statusWritten struct {
	hold      hold
	old, next v1beta1.NodeMaintenanceStatus
}

// nodeCordoned says that a node was cordoned or, as a repair, cordoned again.
type nodeCordoned struct {
	node  string
	holds []hold
	// changes are what the cordon changed, in words.
	changes []string
	repair  bool
}

// nodeGivenBack says that our marks were taken off a node.
type nodeGivenBack struct {
	node  string
	holds []hold
	// cordonedBefore says that the node was cordoned before its maintenance, and stays so.
	cordonedBefore bool
}

// nodeUnread says that holds on a node cannot be read.
type nodeUnread struct {
	node string
	// holds are their names, each with why.
	holds []string
}

// nodeLeftBehind says that a node without holds carries the marks of another store's server.
type nodeLeftBehind struct{ node, storeID string }

// holdEnded says that the finalizer of a hold was removed.
type holdEnded struct {
	hold hold
	// nodeKept says that other holds keep the node in maintenance.
	nodeKept bool
}

// holdExpired says that a hold was deleted because its time was over.
type holdExpired struct {
	hold hold
	end  metav1.Time
}

// drainBlocked says that a drain has been blocked for long, or for good.
type drainBlocked struct {
	hold   hold
	status v1beta1.NodeMaintenanceStatus
}
