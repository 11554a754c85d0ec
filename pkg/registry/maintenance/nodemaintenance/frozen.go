// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"fmt"
	"slices"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// validateFrozen refuses a change of a drain that people have approved, once the maintenance was admitted. Before
// that, a change makes their approvals void instead.
func validateFrozen(newNM, oldNM *v1beta1.NodeMaintenance) field.ErrorList {
	admission := oldNM.Status.Admission
	if admission == nil || !admission.Approved || apiequality.Semantic.DeepEqual(newNM.Spec.Drain, oldNM.Spec.Drain) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec", "drain"), fmt.Sprintf(
		"is frozen: it was approved%s; delete the NodeMaintenance and create another", byWhom(admission.Approvals)))}
}

// byWhom names those who approved. There may be none, if a newer version of the server has stored their decisions
// in a way that this one does not know.
func byWhom(decisions []v1beta1.MaintenanceDecision) string {
	var names []string
	for _, decision := range decisions {
		if name := fmt.Sprintf("%q", decision.By); decision.Decision == v1beta1.DecisionApproved && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " by " + strings.Join(names, ", ")
}
