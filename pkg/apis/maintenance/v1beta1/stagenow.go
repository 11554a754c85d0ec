// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import "slices"

// stages are all stages, lowest first.
var stages = []MaintenanceStage{StageIdle, StageCordon, StageDrain}

// StageNow is how far a NodeMaintenance goes now, as its status says: spec.stage, or a lower stage while it
// waits to be admitted.
func StageNow(maintenance *NodeMaintenance) MaintenanceStage {
	if maintenance.Status.Admission == nil {
		return maintenance.Spec.Stage
	}
	return AdmittedStage(maintenance.Spec.Stage, maintenance.Status.Admission.Stage)
}

// AdmittedStage is how far a maintenance goes that asks for one stage and is admitted to another: the lower of
// the two. A stage that this version does not know is not compared, and neither is the empty one: what is asked
// for counts.
func AdmittedStage(asked, admitted MaintenanceStage) MaintenanceStage {
	if rank := slices.Index(stages, admitted); rank >= 0 && rank < slices.Index(stages, asked) {
		return admitted
	}
	return asked
}

// Approves says whether the admission says that people have approved that stage. From then on the server refuses to
// change spec.drain and to withdraw approvals.
func (a *MaintenanceAdmission) Approves(stage MaintenanceStage) bool {
	return a != nil && a.Approved && AdmittedStage(stage, a.Stage) == stage
}
