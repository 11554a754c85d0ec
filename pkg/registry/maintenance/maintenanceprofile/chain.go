// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package maintenanceprofile

import (
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
)

// namesIn are the checks that a chain names; none if this version cannot read it.
func namesIn(spec *v1beta1.MaintenanceProfileSpec, chain string) []string {
	checks := make([]string, 0, len(spec.Checks))
	for i := range spec.Checks {
		checks = append(checks, spec.Checks[i].Name)
	}
	parsed, err := expression.Parse(chain, checks)
	if err != nil {
		return nil
	}
	return parsed.Names()
}
