// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

func TestAdmission(t *testing.T) {
	early, late := metav1.NewTime(time.Unix(1000, 0)), metav1.NewTime(time.Unix(2000, 0))
	queued := maintenance.AdmissionWait{Policy: "b", Reason: maintenance.AdmissionQueued, Message: "2 of 2"}
	closed := maintenance.AdmissionWait{Policy: "a", Reason: maintenance.AdmissionWindowClosed, Message: "opens Sat"}
	place := func(policy string, position int32) maintenance.QueuePosition {
		return maintenance.QueuePosition{Policy: policy, Position: position, Of: 9}
	}
	tests := map[string]struct {
		holds []maintenance.AdmissionForecast
		want  *maintenance.AdmissionForecast
	}{
		"no holds":   {},
		"none waits": {holds: []maintenance.AdmissionForecast{{StartsNow: true}, {}}},
		"one waits": {
			holds: []maintenance.AdmissionForecast{{WaitingFor: []maintenance.AdmissionWait{queued}, EarliestStartTime: &late, Positions: []maintenance.QueuePosition{place("b", 3)}}},
			want:  &maintenance.AdmissionForecast{WaitingFor: []maintenance.AdmissionWait{queued}, EarliestStartTime: &late, Positions: []maintenance.QueuePosition{place("b", 3)}},
		},
		"two wait": {
			holds: []maintenance.AdmissionForecast{
				{WaitingFor: []maintenance.AdmissionWait{queued}, EarliestStartTime: &late, Positions: []maintenance.QueuePosition{place("b", 3)}},
				{WaitingFor: []maintenance.AdmissionWait{closed, queued}, EarliestStartTime: &early, Positions: []maintenance.QueuePosition{place("a", 5), place("b", 2)}},
			},
			want: &maintenance.AdmissionForecast{
				WaitingFor: []maintenance.AdmissionWait{closed, queued}, EarliestStartTime: &early,
				Positions: []maintenance.QueuePosition{place("a", 5), place("b", 2)},
			},
		},
		"one waits for a person": {
			holds: []maintenance.AdmissionForecast{
				{WaitingFor: []maintenance.AdmissionWait{queued}, EarliestStartTime: &late}, {WaitingFor: []maintenance.AdmissionWait{closed}},
			},
			want: &maintenance.AdmissionForecast{WaitingFor: []maintenance.AdmissionWait{closed, queued}},
		},
		"one has started": {
			holds: []maintenance.AdmissionForecast{{StartsNow: true}, {WaitingFor: []maintenance.AdmissionWait{queued}}},
			want:  &maintenance.AdmissionForecast{StartsNow: true, WaitingFor: []maintenance.AdmissionWait{queued}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Admission(test.holds)); diff != "" {
				t.Errorf("differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStateShowsWhatItsHoldsWaitFor(t *testing.T) {
	now := metav1.Now()
	queued := []maintenance.AdmissionWait{{Policy: "b", Reason: maintenance.AdmissionQueued, Message: "2 of 2"}}
	got := stored([]maintenance.NodeMaintenance{
		{},
		{Status: maintenance.NodeMaintenanceStatus{Admission: &maintenance.MaintenanceAdmission{AdmittedTime: &now}}},
		{Status: maintenance.NodeMaintenanceStatus{Admission: &maintenance.MaintenanceAdmission{WaitingFor: queued, EarliestStartTime: &now}}},
	})
	want := []maintenance.AdmissionForecast{{StartsNow: true}, {WaitingFor: queued, EarliestStartTime: &now}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}
