// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/document"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// docs/several-holds.md can be followed.
func TestSeveralHoldsDocument(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 3)
	first, second, third := localcluster.OnNode(pool.Nodes[0]), localcluster.OnNode(pool.Nodes[1]), localcluster.OnNode(pool.Nodes[2])
	batch := localcluster.Label("tier", "batch")
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Pod("api", first).
		Pod("mail", second).
		Pod("cache", third, batch, localcluster.EmptyDir()).
		Pod("report", third, localcluster.EmptyDir()).
		Pod("web", third).Budget("web", localcluster.MinAvailable("1")))
	team := "team-of-" + pool.Name
	grantSelfService(t, pool, team, team, pool.Nodes...)
	document.NewSession(t, pool).Check(t, "several-holds.md", map[string]string{
		"admin": pool.Cluster.Kubeconfig(), "ada": kubeconfigOf(t, pool, "ada", team), "ben": kubeconfigOf(t, pool, "ben", team),
	})
}
