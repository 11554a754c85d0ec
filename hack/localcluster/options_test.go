// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"testing"
	"time"
)

func TestOptionsComplete(t *testing.T) {
	for _, test := range []struct {
		name    string
		options Options
		want    string
	}{
		{name: "defaults"},
		{name: "a long lease", options: Options{NodeLease: 10 * time.Minute}},
		{
			name: "a lease shorter than a second", options: Options{NodeLease: time.Millisecond},
			want: "a node's lease must last whole seconds, at least one: 1ms",
		},
		{
			name: "a lease of broken seconds", options: Options{NodeLease: 1500 * time.Millisecond},
			want: "a node's lease must last whole seconds, at least one: 1.5s",
		},
		{
			name: "a negative delay", options: Options{ReadyDelay: -time.Second},
			want: "delays must not be negative: ready -1s, termination 1s",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.options.Dir = t.TempDir()
			_, err := test.options.complete()
			if got := errorText(err); got != test.want {
				t.Errorf("complete() = %q, want %q", got, test.want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
