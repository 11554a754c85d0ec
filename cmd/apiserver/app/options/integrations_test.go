// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestIntegrations(t *testing.T) {
	const vsphereFlags = "--integration=vsphere --vsphere-url=https://vcenter-$AZ.example.com --vsphere-credentials-dir=/secret"
	tests := map[string]struct {
		flags                       string
		wantVSphere, wantKubernikus bool
		wantError                   string
	}{
		"none":                   {},
		"settings alone":         {flags: "--vsphere-url=https://vcenter --kubernikus-cloud-config=/secret/cloudprovider.conf"},
		"vsphere":                {flags: vsphereFlags, wantVSphere: true},
		"both":                   {flags: vsphereFlags + " --integration=kubernikus --kubernikus-cloud-config=/conf", wantVSphere: true, wantKubernikus: true},
		"unknown":                {flags: "--integration=esx", wantError: `--integration must be vsphere or kubernikus, not "esx"`},
		"no URL":                 {flags: "--integration=vsphere --vsphere-credentials-dir=/secret", wantVSphere: true, wantError: "must be as in https://vcenter-$AZ"},
		"a password in the URL":  {flags: strings.Replace(vsphereFlags, "vcenter", "me:secret@vcenter", 1), wantVSphere: true, wantError: "must not have a user"},
		"a query in the URL":     {flags: vsphereFlags + " --vsphere-url=https://vcenter?x", wantVSphere: true, wantError: "must not have a ?"},
		"the zone in the port":   {flags: vsphereFlags + " --vsphere-url=https://vcenter.example.com:844$AZ", wantVSphere: true},
		"no credentials":         {flags: "--integration=vsphere --vsphere-url=https://vcenter", wantVSphere: true, wantError: "directory with the credentials"},
		"no interval":            {flags: vsphereFlags + " --vsphere-interval=0", wantVSphere: true, wantError: "at least 1s"},
		"insecure with CAs":      {flags: vsphereFlags + " --vsphere-ca-file=/ca --vsphere-insecure-skip-tls-verify", wantVSphere: true, wantError: "exclude each other"},
		"no file for kubernikus": {flags: "--integration=kubernikus", wantKubernikus: true, wantError: "credentials for OpenStack is not set"},
		"no time for kubernikus": {flags: "--integration=kubernikus --kubernikus-cloud-config=/c --kubernikus-interval=1ms", wantKubernikus: true, wantError: "at least 1s"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o, fs := newIntegrationOptions(), pflag.NewFlagSet("", pflag.ContinueOnError)
			o.addFlags(fs)
			if err := fs.Parse(strings.Fields(test.flags)); err != nil {
				t.Fatal(err)
			}
			if got := o.VSphereSettings() != nil; got != test.wantVSphere {
				t.Errorf("vsphere runs: %t, want %t", got, test.wantVSphere)
			}
			if got := o.KubernikusSettings() != nil; got != test.wantKubernikus {
				t.Errorf("kubernikus runs: %t, want %t", got, test.wantKubernikus)
			}
			err := errors.Join(o.validate()...)
			if (err == nil) != (test.wantError == "") || err != nil && !strings.Contains(err.Error(), test.wantError) || err != nil && strings.Contains(err.Error(), "secret@") {
				t.Errorf("got %v, want %q", err, test.wantError)
			}
		})
	}
}
