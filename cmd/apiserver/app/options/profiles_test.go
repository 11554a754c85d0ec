// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestProfileFlags(t *testing.T) {
	all := []string{"*"}
	for name, test := range map[string]struct {
		args    []string
		want    ProfileOptions
		wantErr string
	}{
		"none": {nil, ProfileOptions{Label: v1beta1.DefaultProfileLabel, NodeKeys: all}, ""},
		"all": {
			[]string{"--profile-label=example.com/profiles", "--secret-namespace=endpoints", "--allow-loopback-endpoints", "--node-keys=a,example.com/*"},
			ProfileOptions{Label: "example.com/profiles", SecretNamespace: "endpoints", NodeKeys: []string{"a", "example.com/*"}, AllowLoopback: true},
			"",
		},
		"no keys": {[]string{"--node-keys="}, ProfileOptions{Label: v1beta1.DefaultProfileLabel, NodeKeys: []string{}}, ""},
		"wrong keys": {
			[]string{"--node-keys=exa*"},
			ProfileOptions{Label: v1beta1.DefaultProfileLabel, NodeKeys: []string{"exa*"}},
			`--node-keys must have keys of nodes, or DOMAIN/*, not "exa*"`,
		},
		"wrong label": {[]string{"--profile-label=a b"}, ProfileOptions{Label: "a b", NodeKeys: all}, "--profile-label must be a label of nodes"},
		"no label":    {[]string{"--profile-label="}, ProfileOptions{NodeKeys: all}, "--profile-label must be a label of nodes"},
		"wrong namespace": {
			[]string{"--secret-namespace=a/b"},
			ProfileOptions{Label: v1beta1.DefaultProfileLabel, SecretNamespace: "a/b", NodeKeys: all},
			"--secret-namespace must be the name of a namespace",
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := newProfileOptions()
			fs := pflag.NewFlagSet("", pflag.ContinueOnError)
			o.addFlags(fs)
			if err := fs.Parse(test.args); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, *o); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			errs := o.validate()
			if (test.wantErr == "") != (len(errs) == 0) || len(errs) > 0 && !strings.Contains(errs[0].Error(), test.wantErr) {
				t.Errorf("errors %v, want %q", errs, test.wantErr)
			}
		})
	}
}
