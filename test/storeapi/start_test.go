// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storeapi

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// An admin who has saved what is stored restores it as the server, while that is stopped. Then it knows its nodes again.
func TestRestore(t *testing.T) {
	pool := env.Current(t).NewPool(t, 1)
	name := pool.Create(t, pool.Hold("a", pool.Nodes[0])).Name
	waitUntilCordoned(t, pool, name)
	server, kubectl := env.Current(t).Server, pool.Kubectl()
	if _, err := server.Terminate(t.Context()); err != nil {
		t.Fatal(err)
	}
	const kinds = "storednodemaintenances,storedmaintenancepolicies,storedmaintenanceledgers,storedmaintenanceprofiles," +
		"storedmaintenanceendpoints,storednodeprofiles,storedscheduledevents,stores.store.maintenance.medik8s.io"
	saved := kubectl.Must(t, "", "get", kinds, "-o", "yaml")
	id := storeID(t, kubectl)
	kubectl.Must(t, "", "delete", kinds, "--all", asServer, asAdmin)
	kubectl.Must(t, saved, "create", asServer, "-f", "-")
	if restored := storeID(t, kubectl); restored != id {
		t.Errorf("the ID of the store is %s, want %s", restored, id)
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	pool.Delete(t, name)
	if pool.Node(t, pool.Nodes[0]).Spec.Unschedulable {
		t.Error("the node is not given back")
	}
}

// waitUntilCordoned waits until the hold has taken its node out of service. The status is written before that, since it
// records what the node was like.
func waitUntilCordoned(t *testing.T, p *env.Pool, name string) {
	t.Helper()
	node := p.WaitForHold(t, name, "node drained", env.Drained).Spec.NodeName
	if !env.Cordoned(p.Node(t, node)) {
		t.Fatalf("node %s is drained and not cordoned", node)
	}
}

const (
	asServer = "--as=" + serverUser
	// asAdmin adds the permission to delete the ID, which the server does not have.
	asAdmin = "--as-group=system:masters"
)

func storeID(t *testing.T, kubectl *env.Kubectl) string {
	t.Helper()
	return kubectl.Must(t, "", "get", "stores.store.maintenance.medik8s.io", "store", "-o", "jsonpath={.id}")
}

// The holds and the ID of the store outlast the server.
func TestRestart(t *testing.T) {
	pool := env.Current(t).NewPool(t, 1)
	node := pool.Nodes[0]
	name := pool.Create(t, pool.Hold("a", node)).Name
	waitUntilCordoned(t, pool, name)
	before := pool.Node(t, node).Annotations
	server := env.Current(t).Server
	if _, err := server.Terminate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	pool.Delete(t, name)
	if pool.Node(t, node).Spec.Unschedulable {
		t.Errorf("after %s, node %s with the annotations %v is not given back", time.Since(began), node, before)
	}
}
