// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapinfo

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// typeOf is what the controller calls the type of a check. Those that it does not have, have their own names.
func typeOf(name string, profile *v1beta1.MaintenanceProfile) string {
	for i := range profile.Spec.Checks {
		if profile.Spec.Checks[i].Name == name {
			return kindOf(&profile.Spec.Checks[i])
		}
	}
	return ""
}

func kindOf(check *v1beta1.ProfileCheck) string {
	for _, kind := range []struct {
		name string
		is   bool
	}{
		{"hasAnnotation", check.NodeAnnotation != nil},
		{"hasLabel", check.NodeLabel != nil},
		{"anyLabel", check.AnyNode != nil},
		{"condition", check.NodeCondition != nil},
		{"nodeCount", check.NodeCount != nil},
		{"clusterSemver", check.ClusterVersion != nil},
		{"affinity", check.PodAffinity != nil},
		{"maxMaintenance", check.MaxInMaintenance != nil},
		{"stagger", check.Stagger != nil},
		{"timeWindow", check.TimeWindow != nil},
		{"waitExclude", check.Wait != nil && len(check.Wait.ExcludeWeekdays) > 0},
		{"wait", check.Wait != nil},
		{"prometheusInstant", check.Prometheus != nil},
		{"node", check.Node != nil},
		{"object", check.Object != nil},
		{"http", check.HTTP != nil},
		{"approval", check.Approval != nil},
	} {
		if kind.is {
			return kind.name
		}
	}
	return ""
}
