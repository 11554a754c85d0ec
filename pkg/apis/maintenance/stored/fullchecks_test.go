// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// fullChecks are one of each kind.
func fullChecks() []maintenance.ProfileCheck {
	key := &maintenance.KeyValueCheck{Key: "example.com/reboot", Value: ptr.To("true")}
	return append([]maintenance.ProfileCheck{
		{Name: "annotation", NodeAnnotation: key},
		{Name: "label", NodeLabel: key},
		{Name: "any", AnyNode: key},
		{Name: "condition", NodeCondition: &maintenance.NodeConditionCheck{Type: "Ready", Status: metav1.ConditionTrue}},
		{Name: "node", Node: &maintenance.NodeExpressionCheck{Expression: "node.spec.unschedulable"}},
		{Name: "object", Object: &maintenance.ObjectCheck{
			APIVersion: "example.com/v1", Resource: "machines", Namespace: "machines", NameExpression: "node.metadata.name",
			Expression: "object.status.ready", Missing: maintenance.MissingFalse,
		}},
		{Name: "objects", Object: &maintenance.ObjectCheck{
			APIVersion: "v1", Resource: "pods", Selector: fullSelector(), Expression: "objects.size() == 0",
		}},
		{Name: "count", NodeCount: &maintenance.NodeCountCheck{Min: 3}},
		{Name: "version", ClusterVersion: &maintenance.ClusterVersionCheck{
			LabelKey: "example.com/version", Scope: maintenance.VersionScopeProfile, Parse: maintenance.VersionTolerant,
		}},
		{Name: "pods", PodAffinity: &maintenance.PodAffinityCheck{MinOperational: 2}},
	}, fullChecksOfTimes()...)
}

// fullChecksOfTimes are those that wait: for a place, for a time, for an answer from outside.
func fullChecksOfTimes() []maintenance.ProfileCheck {
	days := []maintenance.Weekday{maintenance.Monday}
	return []maintenance.ProfileCheck{
		{Name: "limit", MaxInMaintenance: &maintenance.MaxInMaintenanceCheck{
			Max: 1, Profile: "flatcar_1", GroupBy: []string{"topology.kubernetes.io/zone"}, SkipAfterSeconds: ptr.To[int64](3600),
		}},
		{Name: "stagger", Stagger: &maintenance.StaggerCheck{Pool: "boot", Seconds: 480, Parallel: ptr.To[int32](2)}},
		{Name: "window", TimeWindow: &maintenance.TimeWindowCheck{
			Start: "22:00", End: "04:00", Weekdays: days, TimeZone: "Europe/Berlin", ExcludeDates: []string{"12-24"},
		}},
		{Name: "wait", Wait: &maintenance.WaitCheck{Seconds: 720, ExcludeWeekdays: days, TimeZone: "Europe/Berlin"}},
		{Name: "prometheus", Prometheus: &maintenance.PrometheusCheck{
			Endpoint: "metrics", Query: "max(up)", Expression: "value < 1", IntervalSeconds: ptr.To[int64](30),
		}},
		{Name: "http", HTTP: &maintenance.HTTPCheck{
			Endpoint: "web", Path: "/ready", Expression: "response.status == 200", IntervalSeconds: ptr.To[int64](30),
		}},
		{Name: "approval", Approval: &maintenance.ApprovalCheck{Approvers: ptr.To[int32](2)}},
	}
}
