// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1_test

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestStageNow(t *testing.T) {
	const unknown = v1beta1.MaintenanceStage("Reboot")
	tests := map[string]struct {
		asked     v1beta1.MaintenanceStage
		admission *v1beta1.MaintenanceAdmission
		want      v1beta1.MaintenanceStage
	}{
		"no policy": {asked: v1beta1.StageDrain, want: v1beta1.StageDrain},
		"it waits": {
			asked: v1beta1.StageDrain, admission: &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageIdle}, want: v1beta1.StageIdle,
		},
		"it waits for its drain": {
			asked: v1beta1.StageDrain, admission: &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageCordon}, want: v1beta1.StageCordon,
		},
		"it is admitted": {
			asked: v1beta1.StageDrain, admission: &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageDrain}, want: v1beta1.StageDrain,
		},
		"it asks for less now": {
			asked: v1beta1.StageIdle, admission: &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageDrain}, want: v1beta1.StageIdle,
		},
		"people decided before the server did": {
			asked: v1beta1.StageDrain, admission: &v1beta1.MaintenanceAdmission{}, want: v1beta1.StageDrain,
		},
		"a newer version knows more stages": {
			asked: unknown, admission: &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageIdle}, want: unknown,
		},
		"a newer version has admitted it": {
			asked: v1beta1.StageDrain, admission: &v1beta1.MaintenanceAdmission{Stage: unknown}, want: v1beta1.StageDrain,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			hold := &v1beta1.NodeMaintenance{
				Spec: v1beta1.NodeMaintenanceSpec{Stage: test.asked}, Status: v1beta1.NodeMaintenanceStatus{Admission: test.admission},
			}
			if got := v1beta1.StageNow(hold); got != test.want {
				t.Errorf("stage is %q, want %q", got, test.want)
			}
		})
	}
}
