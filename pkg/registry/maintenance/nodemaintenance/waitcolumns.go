// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// StageNow is how far the hold goes now: its own stage, or a lower one while it waits to be admitted.
func StageNow(nm *maintenance.NodeMaintenance) maintenance.MaintenanceStage {
	if nm.Status.Admission == nil {
		return nm.Spec.Stage
	}
	asked, admitted := v1beta1.MaintenanceStage(nm.Spec.Stage), v1beta1.MaintenanceStage(nm.Status.Admission.Stage)
	return maintenance.MaintenanceStage(v1beta1.AdmittedStage(asked, admitted))
}

// waits says whether the hold waits to be admitted.
func waits(nm *maintenance.NodeMaintenance) bool {
	return nm.DeletionTimestamp == nil && StageNow(nm) != nm.Spec.Stage
}

// waitsCell names the first policy that the hold waits for, and why, and counts the other reasons; empty: it waits for none.
func waitsCell(nm *maintenance.NodeMaintenance) string {
	if !waits(nm) || len(nm.Status.Admission.WaitingFor) == 0 {
		return ""
	}
	first := nm.Status.Admission.WaitingFor[0]
	reasons := sets.New[maintenance.AdmissionWait]()
	for _, wait := range nm.Status.Admission.WaitingFor {
		reasons.Insert(maintenance.AdmissionWait{Policy: wait.Policy, Reason: wait.Reason})
	}
	cell := string(first.Reason)
	if first.Policy != "" {
		cell = fmt.Sprintf("policy %s: %s", first.Policy, first.Reason)
	}
	if more := reasons.Len() - 1; more > 0 {
		cell += fmt.Sprintf(" and %d more", more)
	}
	return cell
}

func earliestCell(nm *maintenance.NodeMaintenance) any {
	if !waits(nm) || nm.Status.Admission.EarliestStartTime == nil {
		return none
	}
	return nm.Status.Admission.EarliestStartTime.UTC().Format(time.RFC3339)
}
