// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// stageRank orders the stages; -1: one that only a newer version of the server knows.
func stageRank(stage v1beta1.MaintenanceStage) int {
	switch stage {
	case v1beta1.StageIdle:
		return 0
	case v1beta1.StageCordon:
		return 1
	case v1beta1.StageDrain, "":
		return 2
	default:
		return -1
	}
}

// takesOut says whether the hold asks to take its node out of service.
func (h *hold) takesOut() bool { return stageRank(h.Spec.Stage) > 0 }

// strange says that the stage is not known. Such a hold starts nothing and ends nothing.
func (h *hold) strange() bool { return stageRank(h.Spec.Stage) < 0 }

// lower is the lower one of two stages.
func lower(a, b v1beta1.MaintenanceStage) v1beta1.MaintenanceStage {
	if stageRank(a) < stageRank(b) {
		return a
	}
	return b
}

// wanted is the stage that a NodeMaintenance asks for.
func wanted(m *v1beta1.NodeMaintenance) v1beta1.MaintenanceStage {
	if m.Spec.Stage == "" {
		return v1beta1.StageDrain
	}
	return m.Spec.Stage
}
