// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/registry/resource"
)

// waits says whether the hold waits to be admitted.
func waits(nm *v1beta1.NodeMaintenance) bool {
	return nm.DeletionTimestamp == nil && v1beta1.StageNow(nm) != nm.Spec.Stage
}

// waitsCell names the first policy that the hold waits for, and why, and counts the other reasons; empty: it waits for none.
func waitsCell(nm *v1beta1.NodeMaintenance) string {
	if !waits(nm) || len(nm.Status.Admission.WaitingFor) == 0 {
		return ""
	}
	first := nm.Status.Admission.WaitingFor[0]
	reasons := sets.New[v1beta1.AdmissionWait]()
	for _, wait := range nm.Status.Admission.WaitingFor {
		reasons.Insert(v1beta1.AdmissionWait{Policy: wait.Policy, Reason: wait.Reason})
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

func earliestCell(nm *v1beta1.NodeMaintenance) any {
	if !waits(nm) || nm.Status.Admission.EarliestStartTime == nil {
		return resource.None
	}
	return nm.Status.Admission.EarliestStartTime.UTC().Format(time.RFC3339)
}
