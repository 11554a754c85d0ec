// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// docs/self-service.md can be followed.
func TestSelfServiceDocument(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 3)
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Pod("web-1", localcluster.OnNode(pool.Nodes[2]), localcluster.Label(localcluster.AppLabel, "web")).
		Pod("web-2", localcluster.OnNode(pool.Nodes[1]), localcluster.Label(localcluster.AppLabel, "web")).
		Budget("web", localcluster.MinAvailable("1")).
		Pod("report", localcluster.OnNode(pool.Nodes[2]), localcluster.EmptyDir()))
	shell := newSession(t, pool)
	shell.copyArtifacts(t, root)
	shell.check(t, "self-service.md", map[string]string{
		"admin": pool.Cluster.Kubeconfig(), "pia": kubeconfigOf(t, pool, "pia", "payments"),
	})
}

// copyArtifacts puts the manifests where the commands look for them, for the nodes of the test.
func (s session) copyArtifacts(t *testing.T, repository string) {
	t.Helper()
	example, err := os.ReadFile(filepath.Join(repository, "artifacts", "examples", "self-service.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, filepath.Join("artifacts", "examples", "self-service.yaml"), string(example))
}
