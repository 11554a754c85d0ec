// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestAdmission(t *testing.T) {
	early, late := metav1.NewTime(time.Unix(1000, 0)), metav1.NewTime(time.Unix(2000, 0))
	queued := v1beta1.AdmissionWait{Policy: "b", Reason: v1beta1.AdmissionQueued, Message: "2 of 2"}
	closed := v1beta1.AdmissionWait{Policy: "a", Reason: v1beta1.AdmissionWindowClosed, Message: "opens Sat"}
	place := func(policy string, position int32) v1beta1.QueuePosition {
		return v1beta1.QueuePosition{Policy: policy, Position: position, Of: 9}
	}
	tests := map[string]struct {
		holds []v1beta1.AdmissionForecast
		want  *v1beta1.AdmissionForecast
	}{
		"no holds":   {},
		"none waits": {holds: []v1beta1.AdmissionForecast{{StartsNow: true}, {}}},
		"one waits": {
			holds: []v1beta1.AdmissionForecast{{WaitingFor: []v1beta1.AdmissionWait{queued}, EarliestStartTime: &late, Positions: []v1beta1.QueuePosition{place("b", 3)}}},
			want:  &v1beta1.AdmissionForecast{WaitingFor: []v1beta1.AdmissionWait{queued}, EarliestStartTime: &late, Positions: []v1beta1.QueuePosition{place("b", 3)}},
		},
		"two wait": {
			holds: []v1beta1.AdmissionForecast{
				{WaitingFor: []v1beta1.AdmissionWait{queued}, EarliestStartTime: &late, Positions: []v1beta1.QueuePosition{place("b", 3)}},
				{WaitingFor: []v1beta1.AdmissionWait{closed, queued}, EarliestStartTime: &early, Positions: []v1beta1.QueuePosition{place("a", 5), place("b", 2)}},
			},
			want: &v1beta1.AdmissionForecast{
				WaitingFor: []v1beta1.AdmissionWait{closed, queued}, EarliestStartTime: &early,
				Positions: []v1beta1.QueuePosition{place("a", 5), place("b", 2)},
			},
		},
		"one waits for a person": {
			holds: []v1beta1.AdmissionForecast{
				{WaitingFor: []v1beta1.AdmissionWait{queued}, EarliestStartTime: &late}, {WaitingFor: []v1beta1.AdmissionWait{closed}},
			},
			want: &v1beta1.AdmissionForecast{WaitingFor: []v1beta1.AdmissionWait{closed, queued}},
		},
		"one has started": {
			holds: []v1beta1.AdmissionForecast{{StartsNow: true}, {WaitingFor: []v1beta1.AdmissionWait{queued}}},
			want:  &v1beta1.AdmissionForecast{StartsNow: true, WaitingFor: []v1beta1.AdmissionWait{queued}},
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
	queued := []v1beta1.AdmissionWait{{Policy: "b", Reason: v1beta1.AdmissionQueued, Message: "2 of 2"}}
	got := stored([]v1beta1.NodeMaintenance{
		{},
		{Status: v1beta1.NodeMaintenanceStatus{Admission: &v1beta1.MaintenanceAdmission{AdmittedTime: &now}}},
		{Status: v1beta1.NodeMaintenanceStatus{Admission: &v1beta1.MaintenanceAdmission{WaitingFor: queued, EarliestStartTime: &now}}},
	})
	want := []v1beta1.AdmissionForecast{{StartsNow: true}, {WaitingFor: queued, EarliestStartTime: &now}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}
