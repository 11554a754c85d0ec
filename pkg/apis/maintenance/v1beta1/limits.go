// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

// How long the lists in a status may grow, so that a NodeMaintenance stays small
// whatever happens on its node. A count beside each list tells of the rest.
const (
	// MaxPendingPods is how many pods status.pendingPods lists.
	MaxPendingPods = 100
	// MaxBlockers is how many blockers status.blockers lists.
	MaxBlockers = 20
	// MaxHolds is how many NodeMaintenances the status of a NodeState lists.
	MaxHolds = 20
)
