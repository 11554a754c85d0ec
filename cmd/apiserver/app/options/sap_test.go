// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestSAPFlags(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"none":                {nil, ""},
		"all":                 {[]string{"--sap-mirrors", "--sap-namespace=sap", "--sap-info", "--sap-info-labels=zone,example.com/rack"}, ""},
		"wrong namespace":     {[]string{"--sap-mirrors", "--sap-namespace=a/b"}, "--sap-namespace must be the name of a namespace"},
		"labels without info": {[]string{"--sap-info-labels=zone"}, "--sap-info-labels requires --sap-info"},
		"wrong label":         {[]string{"--sap-info", "--sap-info-labels=a b"}, `--sap-info-labels must have labels of nodes, not "a b"`},
	} {
		t.Run(name, func(t *testing.T) {
			o := newSAPOptions()
			fs := pflag.NewFlagSet("", pflag.ContinueOnError)
			o.addFlags(fs)
			if err := fs.Parse(test.args); err != nil {
				t.Fatal(err)
			}
			errs := o.validate()
			if (test.want == "") != (len(errs) == 0) || len(errs) > 0 && !strings.Contains(errs[0].Error(), test.want) {
				t.Errorf("errors %v, want %q", errs, test.want)
			}
		})
	}
}
