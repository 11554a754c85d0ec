// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"

// Keeps says whether the hold keeps its node in maintenance. A hold in stage Idle asks for nothing, and
// an ending hold no longer counts.
func Keeps(hold *maintenance.NodeMaintenance) bool {
	return hold.DeletionTimestamp.IsZero() && hold.Spec.Stage != maintenance.StageIdle
}
