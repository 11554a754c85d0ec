// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"slices"
	"testing"
)

func TestLegacyAPIServices(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want []string
	}{
		"none": {},
		"one":  {args: []string{"--serve-legacy-groups=nodemaintenance.medik8s.io"}, want: []string{"v1beta1.nodemaintenance.medik8s.io"}},
		"in any order, and twice": {
			args: []string{"--serve-legacy-groups=kubevirt.io,kubevirt.io", "--serve-legacy-groups=nodemaintenance.kubevirt.io"},
			want: []string{"v1beta1.nodemaintenance.kubevirt.io", "v1alpha1.kubevirt.io"},
		},
		"of MachineMaintenances": {
			args: []string{"--serve-legacy-groups=machinemaintenance.managed.openshift.io"}, want: []string{"v1alpha1.machinemaintenance.managed.openshift.io"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, errs := parse(t, test.args...)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if got := o.Legacy.APIServices(); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// The leases of nodes, and the operator's events, belong to NodeMaintenances.
func TestLegacyNodeMaintenances(t *testing.T) {
	for group, want := range map[string]bool{
		"": false, "kubevirt.io": true, "machinemaintenance.managed.openshift.io": false, "machinemaintenance.managed.openshift.io,kubevirt.io": true,
	} {
		var args []string
		if group != "" {
			args = append(args, "--serve-legacy-groups="+group)
		}
		o, errs := parse(t, args...)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if got := o.Legacy.NodeMaintenances(); got != want {
			t.Errorf("%q: got %t, want %t", group, got, want)
		}
		if got := o.NodeLeases.Form != "Off"; got != want {
			t.Errorf("%q: leases are taken: %t, want %t", group, got, want)
		}
	}
}
