// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// The time of a hold that had to wait begins when it is admitted.
func TestValidateExpiration(t *testing.T) {
	created := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	admittedAt := func(seconds int) *v1beta1.MaintenanceAdmission {
		return &v1beta1.MaintenanceAdmission{AdmittedTime: ptr.To(metav1.NewTime(created.Add(time.Duration(seconds) * time.Second)))}
	}
	tests := map[string]struct {
		admission *v1beta1.MaintenanceAdmission
		old       *int64
		seconds   int64
		want      []string
	}{
		"longer than its age":    {seconds: 101},
		"its age":                {seconds: 100, want: []string{"must be more than 100, the seconds since this NodeMaintenance was created; to end it now, delete it"}},
		"as it was":              {old: ptr.To[int64](10), seconds: 10},
		"waiting":                {admission: &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageIdle}, seconds: 1},
		"waiting with its drain": {admission: &v1beta1.MaintenanceAdmission{Stage: v1beta1.StageCordon, AdmittedTime: admittedAt(70).AdmittedTime}, seconds: 31},
		"people have decided, and it does not wait": {admission: &v1beta1.MaintenanceAdmission{}, seconds: 1, want: []string{
			"must be more than 100, the seconds since this NodeMaintenance was created; to end it now, delete it",
		}},
		"longer than since its admission": {admission: admittedAt(70), seconds: 31},
		"since its admission":             {admission: admittedAt(70), seconds: 30, want: []string{"must be more than 30, the seconds since this NodeMaintenance was admitted; to end it now, delete it"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			old := stored()
			old.CreationTimestamp = metav1.NewTime(created)
			old.Spec.ExpirationSeconds, old.Status.Admission = test.old, test.admission
			changed := old.DeepCopy()
			changed.Spec.ExpirationSeconds = &test.seconds
			errs := validateExpiration(changed, old, created.Add(100*time.Second))
			if len(errs) != len(test.want) || len(errs) > 0 && (errs[0].Detail != test.want[0] || errs[0].Field != "spec.expirationSeconds") {
				t.Errorf("got %v, want %q", errs, test.want)
			}
		})
	}
}
