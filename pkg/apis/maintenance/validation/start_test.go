// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestStart(t *testing.T) {
	type spec = v1beta1.NodeMaintenanceSpec
	tests := map[string]struct {
		change func(*spec)
		want   []string
	}{
		"all of it": {change: func(s *spec) {
			s.Priority, s.NotBefore, s.StartDeadline = 100, at("2026-12-05T20:00:00Z"), at("2026-12-05T20:00:01Z")
			s.BypassPolicies, s.Reason = true, "the disk fails"
		}},
		"least priority": {change: func(s *spec) { s.Priority = -100 }},
		"too high": {
			change: func(s *spec) { s.Priority = 101 },
			want:   []string{"spec.priority: Invalid value: 101: must be between -100 and 100, inclusive"},
		},
		"too low": {
			change: func(s *spec) { s.Priority = -101 },
			want:   []string{"spec.priority: Invalid value: -101: must be between -100 and 100, inclusive"},
		},
		"no time to start in": {
			change: func(s *spec) { s.NotBefore, s.StartDeadline = at("2026-12-05T20:00:00Z"), at("2026-12-05T20:00:00Z") },
			want:   []string{`spec.startDeadline: Invalid value: "2026-12-05T20:00:00Z": must be after notBefore`},
		},
		"times that cannot be stored": {
			change: func(s *spec) {
				s.NotBefore, s.StartDeadline = at("0000-01-01T00:00:00+14:00"), at("9999-12-31T23:59:59-14:00")
			},
			want: []string{
				`spec.notBefore: Invalid value: "-0001-12-31T10:00:00Z": must be in a year between 1970 and 2200`,
				`spec.startDeadline: Invalid value: "10000-01-01T13:59:59Z": must be in a year between 1970 and 2200`,
			},
		},
		"times that make no sense": {
			change: func(s *spec) { s.NotBefore, s.StartDeadline = at("1969-12-31T23:59:59Z"), at("2201-01-01T00:00:00Z") },
			want: []string{
				`spec.notBefore: Invalid value: "1969-12-31T23:59:59Z": must be in a year between 1970 and 2200`,
				`spec.startDeadline: Invalid value: "2201-01-01T00:00:00Z": must be in a year between 1970 and 2200`,
			},
		},
		"bypass without a reason": {
			change: func(s *spec) { s.BypassPolicies, s.Reason = true, "" },
			want:   []string{"spec.reason: Required value: must say why bypassPolicies is set"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm := validNodeMaintenance()
			test.change(&nm.Spec)
			wantErrors(t, ValidateNodeMaintenance(nm), test.want...)
			wantErrors(t, ValidateNodeMaintenanceUpdate(nm, validNodeMaintenance()), test.want...)
		})
	}
}

func TestBypassStays(t *testing.T) {
	old := validNodeMaintenance()
	old.Spec.BypassPolicies, old.Spec.Reason = true, "the disk fails"
	changed := old.DeepCopy()
	changed.Spec.Stage = v1beta1.StageCordon
	wantErrors(t, ValidateNodeMaintenanceUpdate(changed, old))
	changed.Spec.BypassPolicies = false
	wantErrors(t, ValidateNodeMaintenanceUpdate(changed, old), "spec.bypassPolicies: Invalid value: false: cannot be unset: "+
		"the policies have been bypassed; to go by them again, delete this NodeMaintenance and create another")
	changed.Spec.BypassPolicies, changed.Spec.Reason = true, ""
	wantErrors(t, ValidateNodeMaintenanceUpdate(changed, old), "spec.reason: Required value: must say why bypassPolicies is set")
}
