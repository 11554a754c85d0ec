// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storeapi

import (
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// Nobody but the server changes what it stores: not even an admin.
func TestOnlyTheServerChangesWhatItStores(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	name := pool.Create(t, pool.Hold("a", pool.Name+"-absent")).Name
	settled(t, pool, name)
	store := "stores.store.maintenance.medik8s.io"
	for what, args := range map[string][]string{
		"change":      {"label", resource, name, "a=b"},
		"delete":      {"delete", resource, name},
		"delete all":  {"delete", resource, "--all"},
		"rename":      {"patch", store, "store", "--type=merge", "-p", `{"id":"another"}`},
		"lose the ID": {"delete", store, "store"},
	} {
		t.Run(what, func(t *testing.T) {
			output := pool.Kubectl().Try(t, "", args...)
			if output.Code == 0 || !strings.Contains(output.Stderr, "only maintenance-apiserver changes what it stores") {
				t.Errorf("kubectl %v: exit code %d, %s, want a refusal that says what to do", args, output.Code, output.Stderr)
			}
		})
	}
	envelope(t, name) // it is still there

	t.Run("a restore acts as the server", func(t *testing.T) {
		as := append([]string{"--as=" + serverUser}, "annotate", resource, name, "restored=yes")
		if output := pool.Kubectl().Try(t, "", as...); strings.Contains(output.Stderr, "only maintenance-apiserver") {
			t.Errorf("refused: %s", output.Stderr)
		}
	})
}

// What users call nodemaintenances are not the envelopes, in any form of the name.
func TestNamesMeanTheAPI(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := pool.Create(t, pool.Hold("a", pool.Name+"-absent")).Name
	for _, name := range []string{"nm", "nodemaintenance", "nodemaintenances", "NodeMaintenance"} {
		output := pool.Kubectl().Must(t, "", "get", name, hold, "-o", "name")
		if want := "nodemaintenance.maintenance.medik8s.io/" + hold; strings.TrimSpace(output) != want {
			t.Errorf("kubectl get %s %s is %s, want %s", name, hold, output, want)
		}
	}
}
