// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapinfo

import (
	"cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/evaluation"
)

// types are what the controller calls checks. Those that it does not have, have our names.
var types = map[string]string{
	"nodeAnnotation": "hasAnnotation", "nodeLabel": "hasLabel", "anyNode": "anyLabel", "nodeCondition": "condition",
	"clusterVersion": "clusterSemver", "podAffinity": "affinity", "maxInMaintenance": "maxMaintenance", "prometheus": "prometheusInstant",
}

// typeOf is what the controller calls the type of a check.
func typeOf(name string, profile *v1beta1.MaintenanceProfile) string {
	for i := range profile.Spec.Checks {
		check := &profile.Spec.Checks[i]
		if check.Name != name {
			continue
		}
		if check.Wait != nil && len(check.Wait.ExcludeWeekdays) > 0 {
			return "waitExclude"
		}
		kind, _ := evaluation.KindOf(check)
		return cmp.Or(types[kind], kind)
	}
	return ""
}
