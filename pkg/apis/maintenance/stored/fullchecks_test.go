// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fullChecks are one of each kind.
func fullChecks() []v1beta1.ProfileCheck {
	key := &v1beta1.KeyValueCheck{Key: "example.com/reboot", Value: ptr.To("true")}
	return append([]v1beta1.ProfileCheck{
		{Name: "annotation", NodeAnnotation: key},
		{Name: "label", NodeLabel: key},
		{Name: "any", AnyNode: key},
		{Name: "condition", NodeCondition: &v1beta1.NodeConditionCheck{Type: "Ready", Status: metav1.ConditionTrue}},
		{Name: "node", Node: &v1beta1.NodeExpressionCheck{Expression: "node.spec.unschedulable"}},
		{Name: "object", Object: &v1beta1.ObjectCheck{
			APIVersion: "example.com/v1", Resource: "machines", Namespace: "machines", NameExpression: "node.metadata.name",
			Expression: "object.status.ready", Missing: v1beta1.MissingFalse,
		}},
		{Name: "objects", Object: &v1beta1.ObjectCheck{
			APIVersion: "v1", Resource: "pods", Selector: fullSelector(), Expression: "objects.size() == 0",
		}},
		{Name: "count", NodeCount: &v1beta1.NodeCountCheck{Min: 3}},
		{Name: "version", ClusterVersion: &v1beta1.ClusterVersionCheck{
			LabelKey: "example.com/version", Scope: v1beta1.VersionScopeProfile, Parse: v1beta1.VersionTolerant,
		}},
		{Name: "pods", PodAffinity: &v1beta1.PodAffinityCheck{MinOperational: 2}},
	}, fullChecksOfTimes()...)
}

// fullChecksOfTimes are those that wait: for a place, for a time, for an answer from outside.
func fullChecksOfTimes() []v1beta1.ProfileCheck {
	days := []v1beta1.Weekday{v1beta1.Monday}
	return []v1beta1.ProfileCheck{
		{Name: "limit", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{
			Max: 1, Profile: "flatcar_1", GroupBy: []string{"topology.kubernetes.io/zone"}, SkipAfterSeconds: ptr.To[int64](3600),
		}},
		{Name: "stagger", Stagger: &v1beta1.StaggerCheck{Pool: "boot", Seconds: 480, Parallel: ptr.To[int32](2)}},
		{Name: "window", TimeWindow: &v1beta1.TimeWindowCheck{
			Start: "22:00", End: "04:00", Weekdays: days, TimeZone: "Europe/Berlin", ExcludeDates: []string{"12-24"},
		}},
		{Name: "wait", Wait: &v1beta1.WaitCheck{Seconds: 720, ExcludeWeekdays: days, TimeZone: "Europe/Berlin"}},
		{Name: "prometheus", Prometheus: &v1beta1.PrometheusCheck{
			Endpoint: "metrics", Query: "max(up)", Expression: "value < 1", IntervalSeconds: ptr.To[int64](30),
		}},
		{Name: "http", HTTP: &v1beta1.HTTPCheck{
			Endpoint: "web", Path: "/ready", Expression: "response.status == 200", IntervalSeconds: ptr.To[int64](30),
		}},
		{Name: "approval", Approval: &v1beta1.ApprovalCheck{Approvers: ptr.To[int32](2)}},
	}
}
