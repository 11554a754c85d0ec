// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
)

// Only who waits for another command says so, not the replicas of one command that wait for each other.
func TestLockedSaysForWhomItWaits(t *testing.T) {
	for name, test := range map[string]struct {
		another bool
		want    string
	}{
		"the same command": {},
		"another command":  {another: true, want: "waiting for another command on this cluster to end\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				options := Options{Dir: t.TempDir(), Log: &log}
				first := newCluster(options)
				second := first
				if test.another {
					second = newCluster(options)
				}
				ended := make(chan error)
				err := first.locked(t.Context(), func(ctx context.Context) error {
					go func() { ended <- second.locked(ctx, func(context.Context) error { return nil }) }()
					synctest.Wait()
					return nil
				})
				if err := <-ended; err != nil {
					t.Error(err)
				}
				if err != nil || log.String() != test.want {
					t.Errorf("got %v, and it said %q, want %q", err, log.String(), test.want)
				}
			})
		})
	}
}
