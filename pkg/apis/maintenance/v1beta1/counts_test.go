// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Scripts read counts: 0 is there as 0, and not left out.
func TestCountsAreAlwaysThere(t *testing.T) {
	// A pod that is not evicted has no turn, and many servers take no leases.
	mayLack := []string{"turn", "leaseErrorCount"}
	for _, kind := range []any{NodeMaintenanceStatus{}, NodeStateStatus{}, DrainPlanStatus{}, PlannedBudget{}} {
		of := reflect.TypeOf(kind)
		t.Run(of.Name(), func(t *testing.T) {
			for _, field := range reflect.VisibleFields(of) {
				name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
				if field.Type.Kind() == reflect.Int32 && strings.Contains(options, "omit") && !slices.Contains(mayLack, name) {
					t.Errorf("%s is left out when it is 0", name)
				}
			}
		})
	}
}
