// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const nodeUID types.UID = "7d4f1c52-8f0e-4a53-b0b4-95f7e0f0c6aa"

// metadata is that of the usual hold, under another name.
func metadata(name string) metav1.ObjectMeta {
	metadata := newHold(name, everySetting).hold.ObjectMeta
	metadata.DeletionTimestamp, metadata.DeletionGracePeriodSeconds = at(90), ptr.To[int64](0)
	return metadata
}

// fullPolicy has every field.
func fullPolicy() *v1beta1.MaintenancePolicy {
	return &v1beta1.MaintenancePolicy{
		ObjectMeta: metadata("every-setting"),
		Spec: v1beta1.MaintenancePolicySpec{
			NodeSelector: &metav1.LabelSelector{
				MatchLabels:      map[string]string{"pool": "web"},
				MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: []string{"front"}}},
			},
			Paused: true,
			Limits: v1beta1.PolicyLimits{
				MaxConcurrent: ptr.To(intstr.FromString("10%")), MaxUnavailable: ptr.To(intstr.FromInt32(3)),
				Topology: []v1beta1.TopologyLimit{{Key: "topology.kubernetes.io/zone", MaxConcurrent: ptr.To(intstr.FromInt32(2)), MaxDomains: ptr.To[int32](1)}},
			},
			Pace: &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](5), PerSeconds: ptr.To[int64](3600), SoakSeconds: 600},
			AutoStop: &v1beta1.PolicyAutoStop{
				Failures: 2, WindowSeconds: ptr.To[int64](3600), DrainSeconds: ptr.To[int64](7200), HeldSeconds: ptr.To[int64](28800), IgnoreBefore: at(5),
			},
			Schedule:  fullSchedule(),
			Approvals: &v1beta1.PolicyApprovals{Count: 1, ValidSeconds: ptr.To[int64](60), AllowSelf: true},
			Gates: &v1beta1.PolicyGates{
				Start: fullGates(), Release: fullGates(),
				ReleaseTimeoutSeconds: ptr.To[int64](60),
			},
			Queue: v1beta1.PolicyQueueSpec{MarkWaiting: ptr.To(false), AgingSeconds: ptr.To[int64](60)},
			Events: &v1beta1.PolicyEvents{
				Actions:       []v1beta1.PolicyEventAction{{Code: "instance-stop", Action: v1beta1.EventActionDrain}},
				AtLatestStart: v1beta1.LatestStartWait,
				Replacement:   &v1beta1.PolicyReplacement{Strategy: v1beta1.DeleteFirst, TimeoutSeconds: ptr.To[int64](60)},
			},
		},
		Status: fullPolicyStatus(),
	}
}

func fullGates() []v1beta1.PolicyGate {
	return []v1beta1.PolicyGate{
		{PlanUnblocked: true},
		{Prometheus: &v1beta1.PrometheusGate{Query: "up > 2", ForSeconds: 60}},
		{NodeCondition: &v1beta1.NodeConditionGate{Type: "Ready", Status: metav1.ConditionTrue, ForSeconds: 120}},
		{DaemonSetPodsReady: true},
	}
}

func fullSchedule() *v1beta1.PolicySchedule {
	windows := []v1beta1.PolicyWindow{
		{Name: "night", Weekly: &v1beta1.WeeklyTime{Days: []v1beta1.Weekday{v1beta1.Monday}, Start: "22:00", End: "04:00"}},
		{Name: "friday", Cron: "0 20 * * 5", DurationSeconds: ptr.To[int64](28800)},
		{Name: "once", From: at(0), Until: at(7200)},
	}
	schedule := &v1beta1.PolicySchedule{
		TimeZone: "Europe/Berlin", Windows: windows, LastStartSeconds: 1800,
		Freezes: []v1beta1.PolicyFreeze{
			{PolicyWindow: v1beta1.PolicyWindow{Name: "sale"}, Dates: &v1beta1.DateRange{From: "2026-11-27", Until: "2026-11-30"}},
			{PolicyWindow: v1beta1.PolicyWindow{Name: "xmas"}, Yearly: &v1beta1.YearlyRange{From: "12-20", Until: "01-02"}},
		},
	}
	for _, window := range windows {
		schedule.Freezes = append(schedule.Freezes, v1beta1.PolicyFreeze{PolicyWindow: window})
	}
	return schedule
}

func fullPolicyStatus() v1beta1.MaintenancePolicyStatus {
	return v1beta1.MaintenancePolicyStatus{
		ObservedGeneration: 1, Selected: 20, InMaintenance: 2, Soaking: 1, Unavailable: 3, Waiting: 4,
		MaxConcurrent: ptr.To[int32](2), MaxUnavailable: ptr.To[int32](3),
		Failures:    []v1beta1.PolicyFailure{{Node: "worker-1", NodeUID: nodeUID, Reason: v1beta1.FailureDrainOverdue, Time: *at(20)}},
		StoppedTime: at(21), NextOpenTime: at(50400), NextCloseTime: at(72000),
		Conditions: []metav1.Condition{
			{Type: v1beta1.ConditionOpen, Status: metav1.ConditionFalse, ObservedGeneration: 1, LastTransitionTime: *at(2), Reason: "WindowClosed", Message: "opens Mon 22:00 CET"},
		},
	}
}

// micro is at, and a little more.
func micro(seconds int) *metav1.MicroTime {
	return &metav1.MicroTime{Time: at(seconds).Add(1500 * time.Microsecond)}
}

// fullLedger has every field.
func fullLedger() *v1beta1.MaintenanceLedger {
	failure := v1beta1.PolicyFailure{Node: "worker-1", NodeUID: nodeUID, Reason: v1beta1.FailureReleaseTimedOut, Time: *at(20)}
	return &v1beta1.MaintenanceLedger{
		ObjectMeta: metadata(v1beta1.LedgerName),
		Spec: v1beta1.MaintenanceLedgerSpec{
			Epoch: 7,
			Entries: []v1beta1.LedgerEntry{{
				Node: "worker-1", NodeUID: nodeUID, AdmittedTime: *micro(3), ReleaseTime: micro(4), GivenBackTime: micro(5),
				Holds: []v1beta1.LedgerHold{{UID: "3c9a5e0e", Stage: v1beta1.StageDrain, Time: *micro(3), Approved: true, Generation: 2, Bypassed: true}},
				Policies: []v1beta1.LedgerPolicy{{
					Name: "workers", Generation: 3, Domains: []v1beta1.LedgerDomain{{Key: "topology.kubernetes.io/zone", Value: "a"}},
				}},
			}},
			Starts:   []v1beta1.LedgerStart{{Policy: "workers", Node: "worker-1", Time: *micro(3)}},
			Failures: []v1beta1.LedgerFailure{{Policy: "workers", PolicyFailure: failure}},
			Stops:    []v1beta1.LedgerStop{{Policy: "workers", Time: *at(21)}},
			InMaintenance: []v1beta1.LedgerProfile{
				{Node: "worker-1", NodeUID: nodeUID, Profile: "flatcar", Sequence: 4, Attempt: 2, Since: *micro(3)},
			},
			Pools: []v1beta1.LedgerPool{{Name: "boot", Grants: []v1beta1.LedgerGrant{
				{Node: "worker-1", Profile: "flatcar", Sequence: 4, Attempt: 2, Time: *micro(3), Seconds: 480},
			}}},
		},
	}
}
