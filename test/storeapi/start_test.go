// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package storeapi

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The holds and the ID of the store outlast the server.
func TestRestart(t *testing.T) {
	pool := env.Current(t).NewPool(t, 1)
	node := pool.Nodes[0]
	name := pool.Create(t, pool.Hold("a", node)).Name
	settled(t, pool, name)
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
