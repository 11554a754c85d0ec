// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package decision

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// dropUnapproved removes the holds that were admitted under an approval and are not as they were approved any more:
// until their status says that they were, people may change spec.drain and withdraw approvals, and nothing starts. They
// ask anew. A hold that has its node cordoned already keeps that.
func (s *state) dropUnapproved(e *entry, holds map[types.UID]*hold) {
	e.Holds = slices.DeleteFunc(e.Holds, func(had v1beta1.LedgerHold) bool {
		h := holds[had.UID]
		return s.unapproved(h, had) && stageRank(h.storedStage()) < 1
	})
	for i := range e.Holds {
		if h := holds[e.Holds[i].UID]; s.unapproved(h, e.Holds[i]) {
			e.Holds[i].Stage, e.Holds[i].Approved = h.storedStage(), h.Status.Admission.Approved
		}
	}
}

// unapproved says whether what was admitted under an approval is not approved any more, and may not start.
func (s *state) unapproved(h *hold, had v1beta1.LedgerHold) bool {
	if h.strange() || !had.Approved || h.Status.Admission.Approves(had.Stage) {
		return false
	}
	return h.Generation != had.Generation || !s.consented(h, had.Time.Time)
}

// consented says whether people agreed at that time. What has expired since the hold was admitted counts.
func (s *state) consented(h *hold, at time.Time) bool {
	return h.Spec.BypassPolicies || !slices.ContainsFunc(h.node.policies, func(p *policy) bool {
		reason, _ := s.consent(p, h, at)
		return reason != ""
	})
}

// storedStage is the stage to which the hold is admitted as its status says.
func (h *hold) storedStage() v1beta1.MaintenanceStage {
	if admission := h.Status.Admission; admission != nil && admission.AdmittedTime != nil && admission.Stage != "" {
		return admission.Stage
	}
	return v1beta1.StageIdle
}
