// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
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
func fullPolicy() *maintenance.MaintenancePolicy {
	return &maintenance.MaintenancePolicy{
		ObjectMeta: metadata("every-setting"),
		Spec: maintenance.MaintenancePolicySpec{
			NodeSelector: &metav1.LabelSelector{
				MatchLabels:      map[string]string{"pool": "web"},
				MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: []string{"front"}}},
			},
			Paused: true,
			Limits: maintenance.PolicyLimits{
				MaxConcurrent: ptr.To(intstr.FromString("10%")), MaxUnavailable: ptr.To(intstr.FromInt32(3)),
				Topology: []maintenance.TopologyLimit{{Key: "topology.kubernetes.io/zone", MaxConcurrent: ptr.To(intstr.FromInt32(2)), MaxDomains: ptr.To[int32](1)}},
			},
			Pace: &maintenance.PolicyPace{MaxStarts: ptr.To[int32](5), PerSeconds: ptr.To[int64](3600), SoakSeconds: 600},
			AutoStop: &maintenance.PolicyAutoStop{
				Failures: 2, WindowSeconds: ptr.To[int64](3600), DrainSeconds: ptr.To[int64](7200), HeldSeconds: ptr.To[int64](28800), IgnoreBefore: at(5),
			},
			Schedule:  fullSchedule(),
			Approvals: &maintenance.PolicyApprovals{Count: 1, ValidSeconds: ptr.To[int64](60), AllowSelf: true},
			Gates: &maintenance.PolicyGates{
				Start: fullGates(), Release: fullGates(),
				ReleaseTimeoutSeconds: ptr.To[int64](60),
			},
			Queue: maintenance.PolicyQueueSpec{MarkWaiting: ptr.To(false), AgingSeconds: ptr.To[int64](60)},
			Events: &maintenance.PolicyEvents{
				Actions:       []maintenance.PolicyEventAction{{Code: "instance-stop", Action: maintenance.EventActionDrain}},
				AtLatestStart: maintenance.LatestStartWait,
				Replacement:   &maintenance.PolicyReplacement{Strategy: maintenance.DeleteFirst, TimeoutSeconds: ptr.To[int64](60)},
			},
		},
		Status: fullPolicyStatus(),
	}
}

func fullGates() []maintenance.PolicyGate {
	return []maintenance.PolicyGate{
		{PlanUnblocked: true},
		{Prometheus: &maintenance.PrometheusGate{Query: "up > 2", ForSeconds: 60}},
		{NodeCondition: &maintenance.NodeConditionGate{Type: "Ready", Status: metav1.ConditionTrue, ForSeconds: 120}},
		{DaemonSetPodsReady: true},
	}
}

func fullSchedule() *maintenance.PolicySchedule {
	windows := []maintenance.PolicyWindow{
		{Name: "night", Weekly: &maintenance.WeeklyTime{Days: []maintenance.Weekday{maintenance.Monday}, Start: "22:00", End: "04:00"}},
		{Name: "friday", Cron: "0 20 * * 5", DurationSeconds: ptr.To[int64](28800)},
		{Name: "once", From: at(0), Until: at(7200)},
	}
	schedule := &maintenance.PolicySchedule{
		TimeZone: "Europe/Berlin", Windows: windows, LastStartSeconds: 1800,
		Freezes: []maintenance.PolicyFreeze{
			{PolicyWindow: maintenance.PolicyWindow{Name: "sale"}, Dates: &maintenance.DateRange{From: "2026-11-27", Until: "2026-11-30"}},
			{PolicyWindow: maintenance.PolicyWindow{Name: "xmas"}, Yearly: &maintenance.YearlyRange{From: "12-20", Until: "01-02"}},
		},
	}
	for _, window := range windows {
		schedule.Freezes = append(schedule.Freezes, maintenance.PolicyFreeze{PolicyWindow: window})
	}
	return schedule
}

func fullPolicyStatus() maintenance.MaintenancePolicyStatus {
	return maintenance.MaintenancePolicyStatus{
		ObservedGeneration: 1, Selected: 20, InMaintenance: 2, Soaking: 1, Unavailable: 3, Waiting: 4,
		MaxConcurrent: ptr.To[int32](2), MaxUnavailable: ptr.To[int32](3),
		Failures:    []maintenance.PolicyFailure{{Node: "worker-1", NodeUID: nodeUID, Reason: maintenance.FailureDrainOverdue, Time: *at(20)}},
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
func fullLedger() *maintenance.MaintenanceLedger {
	failure := maintenance.PolicyFailure{Node: "worker-1", NodeUID: nodeUID, Reason: maintenance.FailureReleaseTimedOut, Time: *at(20)}
	return &maintenance.MaintenanceLedger{
		ObjectMeta: metadata(maintenance.LedgerName),
		Spec: maintenance.MaintenanceLedgerSpec{
			Epoch: 7,
			Entries: []maintenance.LedgerEntry{{
				Node: "worker-1", NodeUID: nodeUID, AdmittedTime: *micro(3), ReleaseTime: micro(4), GivenBackTime: micro(5),
				Holds: []maintenance.LedgerHold{{UID: "3c9a5e0e", Stage: maintenance.StageDrain, Time: *micro(3), Approved: true, Generation: 2, Bypassed: true}},
				Policies: []maintenance.LedgerPolicy{{
					Name: "workers", Generation: 3, Domains: []maintenance.LedgerDomain{{Key: "topology.kubernetes.io/zone", Value: "a"}},
				}},
			}},
			Starts:   []maintenance.LedgerStart{{Policy: "workers", Node: "worker-1", Time: *micro(3)}},
			Failures: []maintenance.LedgerFailure{{Policy: "workers", PolicyFailure: failure}},
			Stops:    []maintenance.LedgerStop{{Policy: "workers", Time: *at(21)}},
			InMaintenance: []maintenance.LedgerProfile{
				{Node: "worker-1", NodeUID: nodeUID, Profile: "flatcar", Sequence: 4, Attempt: 2, Since: *micro(3)},
			},
			Pools: []maintenance.LedgerPool{{Name: "boot", Grants: []maintenance.LedgerGrant{
				{Node: "worker-1", Profile: "flatcar", Sequence: 4, Attempt: 2, Time: *micro(3), Seconds: 480},
			}}},
		},
	}
}
