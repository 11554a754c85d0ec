// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Admission says how far holds may go now. Until a hold is admitted, it counts as if its stage were Idle. An
// admission is not revoked while the hold asks for what was admitted.
type Admission interface {
	// Admitted says how far the hold may go now. It answers at once, from memory.
	Admitted(hold *v1beta1.NodeMaintenance) Admitted
	// Planned says whether the node is to be marked as one whose maintenance may start soon.
	Planned(node string) bool
}

// Admitted is how far a hold may go now.
type Admitted struct {
	// Known is false while nothing is known yet, since the process has just begun to lead. The node of the hold
	// is then left as it is, and looked at again when Admission's owner wakes it.
	Known bool
	// Stage is how far the hold may go: its own stage, or a lower one.
	Stage v1beta1.MaintenanceStage
	// Status is what the hold's status.admission is to say, without the approvals; nil: nothing, because no policy
	// selects the node and the hold itself does not wait. If it raises the stage, it is stored before the drainer acts on
	// that, for the hold as it is then. Once it says approved, the registry refuses to withdraw approvals and to change
	// spec.drain.
	Status *v1beta1.MaintenanceAdmission
	// Reason and Message are those of the condition Admitted. The condition is True when the stage is the hold's own.
	Reason  v1beta1.AdmissionReason
	Message string
	// Again is when the answer may change by time alone; zero: never.
	Again time.Time
}
