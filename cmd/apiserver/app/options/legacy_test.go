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
