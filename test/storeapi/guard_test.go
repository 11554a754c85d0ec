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
}

// Nobody deletes the kinds of what is stored, and so everything at once, while the server is installed.
func TestKindsOfTheStoreStay(t *testing.T) {
	t.Parallel()
	kubectl := env.Current(t).Kubectl()
	for _, kind := range []string{resource, "stores.store.maintenance.medik8s.io"} {
		output := kubectl.Try(t, "", "delete", "crd", kind, "--dry-run=server")
		if output.Code == 0 || !strings.Contains(output.Stderr, "uninstall it first (helm uninstall") {
			t.Errorf("kubectl delete crd %s: exit code %d, %s, want a refusal that says what to do", kind, output.Code, output.Stderr)
		}
	}
	other := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"others.example.com"},
"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"others","kind":"Other"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`
	kubectl.Must(t, other, "create", "-f", "-")
	kubectl.Must(t, "", "delete", "crd", "others.example.com")
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
