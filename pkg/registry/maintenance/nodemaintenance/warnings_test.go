// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Whoever changes the spec of maintenance that people have approved is told that they must do so again.
func TestVoidWarnings(t *testing.T) {
	decided := func(stage v1beta1.MaintenanceStage, generations ...int64) *v1beta1.NodeMaintenance {
		hold := &v1beta1.NodeMaintenance{
			ObjectMeta: metav1.ObjectMeta{Generation: 2}, Spec: v1beta1.NodeMaintenanceSpec{Stage: v1beta1.StageDrain},
			Status: v1beta1.NodeMaintenanceStatus{Admission: &v1beta1.MaintenanceAdmission{Stage: stage}},
		}
		for _, generation := range generations {
			hold.Status.Admission.Approvals = append(hold.Status.Admission.Approvals,
				v1beta1.MaintenanceDecision{Decision: v1beta1.DecisionApproved, Generation: generation})
		}
		hold.Status.Admission.Approvals = append(hold.Status.Admission.Approvals,
			v1beta1.MaintenanceDecision{Decision: v1beta1.DecisionDenied, Generation: 2}) // which stays
		return hold
	}
	for name, test := range map[string]struct {
		old        *v1beta1.NodeMaintenance
		generation int64
		want       []string
	}{
		"two, and a void one": {decided(v1beta1.StageIdle, 1, 2, 2), 3, []string{"spec: this change makes 2 approvals void: who gave them must approve again"}},
		"one":                 {decided(v1beta1.StageIdle, 2), 3, []string{"spec: this change makes 1 approval void: who gave it must approve again"}},
		"none that is valid":  {decided(v1beta1.StageIdle, 1), 3, nil},
		"the same spec":       {decided(v1beta1.StageIdle, 2), 2, nil},
		"it has started":      {decided(v1beta1.StageDrain, 2), 3, nil},
		"no policy has a say": {&v1beta1.NodeMaintenance{}, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			changed := test.old.DeepCopy()
			changed.Generation = test.generation
			if got := voidWarnings(changed, test.old); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
