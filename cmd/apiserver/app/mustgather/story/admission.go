// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package story

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// admission tells when a hold was admitted, and what people have decided.
func admission(
	of *v1beta1.MaintenanceAdmission, happened func(at *metav1.Time, format string, args ...any), planned func(at *metav1.Time, what string),
) {
	if of == nil {
		return
	}
	happened(of.AdmittedTime, "was admitted")
	planned(of.EarliestStartTime, "does not start earlier")
	for i := range of.Approvals {
		decision := &of.Approvals[i]
		happened(&decision.Time, "%s by %s for policy %s", strings.ToLower(string(decision.Decision)), decision.By, decision.Policy)
	}
}

// waitsFor says which policies a hold waits for, and why; empty if it waits for nothing.
func waitsFor(hold *v1beta1.NodeMaintenance) string {
	if hold.Status.Admission == nil || v1beta1.StageNow(hold) == hold.Spec.Stage {
		return ""
	}
	var reasons []string
	for _, wait := range hold.Status.Admission.WaitingFor {
		if wait.Policy == "" {
			reasons = append(reasons, string(wait.Reason))
			continue
		}
		reasons = append(reasons, fmt.Sprintf("policy %s (%s)", wait.Policy, wait.Reason))
	}
	if len(reasons) == 0 {
		return ", not admitted"
	}
	return ", waits for " + strings.Join(reasons, ", ")
}
