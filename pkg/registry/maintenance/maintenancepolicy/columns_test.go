// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenancepolicy

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestOpenCell(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC) // a Thursday
	in := func(hours int) *metav1.Time { return ptr.To(metav1.NewTime(now.Add(time.Duration(hours) * time.Hour))) }
	open := func(status metav1.ConditionStatus) []metav1.Condition {
		return []metav1.Condition{{Type: v1beta1.ConditionOpen, Status: status}}
	}
	berlin := &v1beta1.PolicySchedule{TimeZone: "Europe/Berlin"}
	tests := map[string]struct {
		policy v1beta1.MaintenancePolicy
		want   string
	}{
		"not looked at yet": {want: "<unknown>"},
		"changed since": {
			policy: v1beta1.MaintenancePolicy{
				ObjectMeta: metav1.ObjectMeta{Generation: 2},
				Status:     v1beta1.MaintenancePolicyStatus{ObservedGeneration: 1, Conditions: open("True"), NextCloseTime: in(1)},
			},
			want: "<unknown>",
		},
		"always open": {policy: v1beta1.MaintenancePolicy{Status: v1beta1.MaintenancePolicyStatus{Conditions: open("True")}}, want: "Open"},
		"open": {
			policy: v1beta1.MaintenancePolicy{
				Spec:   v1beta1.MaintenancePolicySpec{Schedule: berlin},
				Status: v1beta1.MaintenancePolicyStatus{Conditions: open("True"), NextCloseTime: in(16)},
			},
			want: "Open until Fri 05:00 CET",
		},
		"closed": {
			policy: v1beta1.MaintenancePolicy{Status: v1beta1.MaintenancePolicyStatus{Conditions: open("False"), NextOpenTime: in(58)}},
			want:   "Closed until Sat 22:00 UTC",
		},
		"closed for long": {
			policy: v1beta1.MaintenancePolicy{Status: v1beta1.MaintenancePolicyStatus{Conditions: open("False"), NextOpenTime: in(24 * 7)}},
			want:   "Closed until 2026-12-03 12:00 UTC",
		},
		"closed for good": {policy: v1beta1.MaintenancePolicy{Status: v1beta1.MaintenancePolicyStatus{Conditions: open("False")}}, want: "Closed"},
		"a zone of later": {
			policy: v1beta1.MaintenancePolicy{
				Spec:   v1beta1.MaintenancePolicySpec{Schedule: &v1beta1.PolicySchedule{TimeZone: "Mars/Olympus"}},
				Status: v1beta1.MaintenancePolicyStatus{Conditions: open("True"), NextCloseTime: in(1)},
			},
			want: "Open until Thu 13:00 UTC",
		},
		"paused": {
			policy: v1beta1.MaintenancePolicy{
				Spec: v1beta1.MaintenancePolicySpec{Paused: true}, Status: v1beta1.MaintenancePolicyStatus{Conditions: open("True")},
			},
			want: "Paused",
		},
		"stopped": {
			policy: v1beta1.MaintenancePolicy{Status: v1beta1.MaintenancePolicyStatus{
				Conditions: append(open("True"), metav1.Condition{Type: v1beta1.ConditionStopped, Status: "True"}),
			}},
			want: "Stopped",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := openCell(&test.policy, now); got != test.want {
				t.Errorf("got %v, want %s", got, test.want)
			}
		})
	}
}

func TestColumns(t *testing.T) {
	full := &v1beta1.MaintenancePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "workers"},
		Spec: v1beta1.MaintenancePolicySpec{
			NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "web"}}, Paused: true,
			Limits: v1beta1.PolicyLimits{
				MaxConcurrent: ptr.To(intstr.FromString("10%")), MaxUnavailable: ptr.To(intstr.FromInt32(4)),
				Topology: []v1beta1.TopologyLimit{{Key: "zone", MaxConcurrent: ptr.To(intstr.FromInt32(2)), MaxDomains: ptr.To[int32](1)}, {Key: "rack", MaxDomains: ptr.To[int32](3)}},
			},
			Pace: &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](5), PerSeconds: ptr.To[int64](7200), SoakSeconds: 600},
		},
		Status: v1beta1.MaintenancePolicyStatus{
			ObservedGeneration: 1, Selected: 20, InMaintenance: 5, Unavailable: 1, Waiting: 3, MaxConcurrent: ptr.To[int32](2),
		},
	}
	tests := map[string]struct {
		policy *v1beta1.MaintenancePolicy
		want   []any
	}{
		"full": {
			policy: full,
			want:   []any{"workers", "20", "5/2", "1", "3", "Paused", "<unknown>", "10%", "4", "zone: 2 each, 1 at once; rack: 3 at once", "5 per 120m, soak 10m", "pool=web"},
		},
		"new": {
			policy: &v1beta1.MaintenancePolicy{
				ObjectMeta: metav1.ObjectMeta{Name: "workers"},
				Spec:       v1beta1.MaintenancePolicySpec{NodeSelector: &metav1.LabelSelector{}, Pace: &v1beta1.PolicyPace{}},
			},
			want: []any{"workers", "<unknown>", "<unknown>", "<unknown>", "<unknown>", "<unknown>", "<unknown>", "<none>", "<none>", "<none>", "<none>", "<none>"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			table, err := newTable().ConvertToTable(t.Context(), test.policy, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, table.Rows[0].Cells); diff != "" {
				t.Errorf("cells differ (-want +got):\n%s", diff)
			}
		})
	}
}
