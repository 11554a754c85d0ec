// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestMachineAPI(t *testing.T) {
	tests := map[string]struct {
		flags     string
		want      bool
		wantError string
	}{
		"default": {want: true},
		"auto":    {flags: "--machine-api=auto", want: true},
		"none":    {flags: "--machine-api=none"},
		"unknown": {flags: "--machine-api=openshift", wantError: `--machine-api must be auto or none, not "openshift"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o, fs := newMachineAPIOptions(), pflag.NewFlagSet("", pflag.ContinueOnError)
			o.addFlags(fs)
			if err := fs.Parse(strings.Fields(test.flags)); err != nil {
				t.Fatal(err)
			}
			if got := o.Enabled(); got != test.want {
				t.Errorf("machines are replaced: %t, want %t", got, test.want)
			}
			err := errors.Join(o.validate()...)
			if (err == nil) != (test.wantError == "") || err != nil && !strings.Contains(err.Error(), test.wantError) {
				t.Errorf("got %v, want %q", err, test.wantError)
			}
		})
	}
}
