// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

// The maximum lengths of the lists in a status, so that objects stay small. A count next to
// each list has the full number.
const (
	// MaxPendingPods is how many pods status.pendingPods lists at most.
	MaxPendingPods = 100
	// MaxBlockers is how many blockers status.blockers lists at most.
	MaxBlockers = 20
	// MaxHolds is how many NodeMaintenances the status of a NodeState lists at most.
	MaxHolds = 20
)

// MaxRuleAnnotation is how many bytes the value of an annotation in a drain rule has at most. Servers that
// cache pods need to keep no more of their annotations to know whether a rule matches.
const MaxRuleAnnotation = 256
