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
	for name, test := range map[string]struct {
		args    []string
		want    ProfileOptions
		wantErr string
	}{
		"none": {nil, ProfileOptions{Label: v1beta1.DefaultProfileLabel}, ""},
		"all": {
			[]string{"--profile-label=example.com/profiles", "--secret-namespace=endpoints", "--allow-loopback-endpoints"},
			ProfileOptions{Label: "example.com/profiles", SecretNamespace: "endpoints", AllowLoopback: true},
			"",
		},
		"wrong label": {[]string{"--profile-label=a b"}, ProfileOptions{Label: "a b"}, "--profile-label must be a label of nodes"},
		"no label":    {[]string{"--profile-label="}, ProfileOptions{}, "--profile-label must be a label of nodes"},
		"wrong namespace": {
			[]string{"--secret-namespace=a/b"},
			ProfileOptions{Label: v1beta1.DefaultProfileLabel, SecretNamespace: "a/b"},
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
