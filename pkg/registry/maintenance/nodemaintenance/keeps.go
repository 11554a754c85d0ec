// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// Keeps says whether the hold keeps its node in maintenance. A hold in stage Idle asks for nothing, and
// an ending hold no longer counts.
func Keeps(hold *v1beta1.NodeMaintenance) bool {
	return hold.DeletionTimestamp.IsZero() && hold.Spec.Stage != v1beta1.StageIdle
}
