// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"strings"
	"testing"
)

func TestLeaderElection(t *testing.T) {
	const etcd = "--etcd-servers=https://127.0.0.1:2379"
	for name, tc := range map[string]struct {
		args []string
		want bool
	}{
		"embedded etcd":        {want: false},
		"external etcd":        {args: []string{etcd}, want: true},
		"embedded etcd, asked": {args: []string{"--leader-elect"}, want: true},
		"external etcd, off":   {args: []string{etcd, "--leader-elect=false"}, want: false},
	} {
		t.Run(name, func(t *testing.T) {
			o, errs := parse(t, tc.args...)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if got := o.LeaderElection.Elect.Value(); got != tc.want {
				t.Errorf("it elects: %t, want %t", got, tc.want)
			}
		})
	}
}

func TestValidateLeaderElection(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string // of the only error; empty: none
	}{
		"all shorter": {args: []string{
			"--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s", "--leader-elect-retry-period=500ms",
		}},
		"another name":             {args: []string{"--leader-elect-resource-name=maintenance-2"}},
		"lease in parts of second": {args: []string{"--leader-elect-lease-duration=15500ms"}, want: "in whole seconds, not 15.5s"},
		"deadline not shorter":     {args: []string{"--leader-elect-renew-deadline=15s"}, want: "must be at least 1s shorter than --leader-elect-lease-duration (15s), not 15s"},
		"deadline hardly shorter":  {args: []string{"--leader-elect-renew-deadline=14.9s"}, want: "must be at least 1s shorter than --leader-elect-lease-duration (15s), not 14.9s"},
		"deadline a second before": {args: []string{"--leader-elect-renew-deadline=14s"}},
		"retries too slow":         {args: []string{"--leader-elect-retry-period=9s"}, want: "must be longer than 1.2 times --leader-elect-retry-period (10.8s), not 10s"},
		"no retries":               {args: []string{"--leader-elect-retry-period=0s"}, want: "--leader-elect-retry-period must be greater than 0, not 0s"},
		"no name":                  {args: []string{"--leader-elect-resource-name="}, want: `must be the name of a Lease, not ""`},
		"not a boolean":            {args: []string{"--leader-elect=maybe"}, want: "invalid syntax"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := parse(t, tc.args...)
			switch {
			case tc.want == "" && len(errs) > 0:
				t.Errorf("errors: %v, want none", errs)
			case tc.want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), tc.want)):
				t.Errorf("errors: %v, want one with %q", errs, tc.want)
			}
		})
	}
}
