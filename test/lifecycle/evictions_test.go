// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// evictions counts how often each of the pool's pods was evicted.
func evictions(t *testing.T, pool *env.Pool) map[types.UID]int {
	t.Helper()
	return pool.Evictions(t)
}

// wantEvictedOnce checks that these pods were evicted once, and no pod of the pool
// twice.
func wantEvictedOnce(t *testing.T, pool *env.Pool, pods []types.UID) {
	t.Helper()
	pool.WantEvictedOnce(t, pods)
}

// podsOf returns the UIDs of an app's pods on a node. There must be some, or the
// test would show nothing.
func podsOf(t *testing.T, pool *env.Pool, node, app string) []types.UID {
	t.Helper()
	pods, err := pool.PodsOn(t.Context(), node)
	if err != nil {
		t.Fatal(err)
	}
	var uids []types.UID
	for i := range pods {
		if pods[i].Labels[localcluster.AppLabel] == app {
			uids = append(uids, pods[i].UID)
		}
	}
	if len(uids) == 0 {
		t.Fatalf("no pod of %s is on node %s", app, node)
	}
	return uids
}
