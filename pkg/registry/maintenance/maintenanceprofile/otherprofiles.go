// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceprofile

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// unknownAliases are the checks maxInMaintenance that count the nodes of a profile that there is not.
func unknownAliases(profile *v1beta1.MaintenanceProfile, others []v1beta1.MaintenanceProfile) []string {
	known := sets.New(AliasOf(profile))
	for i := range others {
		known.Insert(AliasOf(&others[i]))
	}
	var warnings []string
	for i, check := range profile.Spec.Checks {
		if limit := check.MaxInMaintenance; limit != nil && limit.Profile != "" && !known.Has(limit.Profile) {
			warnings = append(warnings, fmt.Sprintf("spec.checks[%d].maxInMaintenance.profile: no profile has the alias %q, so no node counts", i, limit.Profile))
		}
	}
	return warnings
}

// unequalPools are the pools of which others, or other checks of the profile, say that a place is taken for another time.
// Each check goes by its own time.
func unequalPools(profile *v1beta1.MaintenanceProfile, others []v1beta1.MaintenanceProfile) []string {
	first := map[string]poolUse{}
	for i := range others {
		for _, use := range poolsOf(&others[i]) {
			first[use.pool] = use
		}
	}
	var warnings []string
	for _, use := range poolsOf(profile) {
		before, known := first[use.pool]
		if known && before.seconds != use.seconds {
			warnings = append(warnings, fmt.Sprintf("%s.seconds: a place of pool %q is taken for %d seconds here, and for %d by check %q of profile %q",
				use.path, use.pool, use.seconds, before.seconds, before.check, before.profile))
		}
		if !known {
			first[use.pool] = use
		}
	}
	return warnings
}

// poolUse is a check stagger.
type poolUse struct {
	path                 *field.Path
	pool, check, profile string
	seconds              int64
}

func poolsOf(profile *v1beta1.MaintenanceProfile) []poolUse {
	var uses []poolUse
	for i, check := range profile.Spec.Checks {
		if check.Stagger != nil {
			path := field.NewPath("spec", "checks").Index(i).Child("stagger")
			uses = append(uses, poolUse{path, check.Stagger.Pool, check.Name, profile.Name, check.Stagger.Seconds})
		}
	}
	return uses
}
