// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"fmt"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// voidWarnings says how many approvals a changed spec makes void, before the start.
func voidWarnings(newNM, oldNM *v1beta1.NodeMaintenance) []string {
	if newNM.Generation == oldNM.Generation || !waits(oldNM) {
		return nil
	}
	void := 0
	for _, decision := range oldNM.Status.Admission.Approvals {
		if decision.Decision == v1beta1.DecisionApproved && decision.Generation == oldNM.Generation {
			void++
		}
	}
	switch void {
	case 0:
		return nil
	case 1:
		return []string{"spec: this change makes 1 approval void: who gave it must approve again"}
	default:
		return []string{fmt.Sprintf("spec: this change makes %d approvals void: who gave them must approve again", void)}
	}
}

// drainWarnings says which of the drain's settings are allowed but may not do
// what was meant.
func drainWarnings(drain *v1beta1.DrainSpec) []string {
	var warnings []string
	if s := drain.PodSelector; s != nil && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0 {
		warnings = append(warnings, "spec.drain.podSelector: an empty selector selects all pods")
	}
	timeout, grace := drain.TimeoutSeconds, drain.GracePeriodSeconds
	if timeout != nil && grace != nil && *timeout < *grace {
		warnings = append(warnings, fmt.Sprintf(
			"spec.drain.timeoutSeconds: %d is less than gracePeriodSeconds (%d): pods may still be stopping at the deadline",
			*timeout, *grace))
	}
	if drain.OnTimeout == v1beta1.OnTimeoutDelete && timeout != nil {
		warnings = append(warnings, fmt.Sprintf("spec.drain.onTimeout: pods that are left %s after the drain began are deleted, "+
			"whatever their disruption budgets say", time.Duration(*timeout)*time.Second))
	}
	return warnings
}
