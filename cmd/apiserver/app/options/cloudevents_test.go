// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestCloudEvents(t *testing.T) {
	tests := map[string]struct {
		flags     string
		want      bool
		wantError string
	}{
		"none":                   {},
		"aws":                    {flags: "--cloud-events=aws", want: true},
		"aws with all":           {flags: "--cloud-events=aws --cloud-events-interval=5m --cloud-events-endpoint=https://ec2.example.com", want: true},
		"a cloud of this server": {flags: "--cloud-events=aws --cloud-events-endpoint=http://127.0.0.1:8000", want: true},
		"unknown":                {flags: "--cloud-events=aws,gcp", want: true, wantError: `--cloud-events must be aws, not "gcp"`},
		"too often":              {flags: "--cloud-events=aws --cloud-events-interval=9ms", want: true, wantError: "--cloud-events-interval must be at least 1s, not 9ms"},
		"in clear text":          {flags: "--cloud-events=aws --cloud-events-endpoint=http://ec2.example.com", want: true, wantError: "--cloud-events-endpoint: the endpoint"},
		"an endpoint alone":      {flags: "--cloud-events-endpoint=https://ec2.example.com", wantError: "the cloud is not asked: set --cloud-events=aws"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o, fs := newCloudEventOptions(), pflag.NewFlagSet("", pflag.ContinueOnError)
			o.addFlags(fs)
			if err := fs.Parse(strings.Fields(test.flags)); err != nil {
				t.Fatal(err)
			}
			if got := o.Clouds()[v1beta1.AWSSource] != nil; got != test.want {
				t.Errorf("AWS is asked: %t, want %t", got, test.want)
			}
			err := errors.Join(o.validate()...)
			if (err == nil) != (test.wantError == "") || err != nil && !strings.Contains(err.Error(), test.wantError) {
				t.Errorf("got %v, want %q", err, test.wantError)
			}
		})
	}
}

// TestCollectedSources fails where a cloud can be asked, and users may write its events, or the other way round.
func TestCollectedSources(t *testing.T) {
	if diff := cmp.Diff(slices.Sorted(slices.Values(v1beta1.CollectedSources())), newCloudEventOptions().names()); diff != "" {
		t.Errorf("v1beta1.CollectedSources (-) and the clouds that can be asked (+) differ:\n%s", diff)
	}
}
