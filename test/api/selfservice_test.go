// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/document"
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
	shell := document.NewSession(t, pool)
	copyArtifacts(t, shell)
	// Events are written beside the work, and the document asks for this one once.
	shell.After("kubectl get nodes.maintenance.medik8s.io worker-1 worker-3", func(t *testing.T) {
		pool.WaitForEvent(t, "NodeMaintenance", pool.Nodes[2], "MaintenanceStarted")
	})
	shell.Check(t, "self-service.md", map[string]string{
		"admin": pool.Cluster.Kubeconfig(), "pia": kubeconfigOf(t, pool, "pia", "payments"),
	})
}

// copyArtifacts puts the manifests where the commands look for them, for the nodes of the test.
func copyArtifacts(t *testing.T, shell *document.Session) {
	t.Helper()
	example, err := os.ReadFile(filepath.Join(root, "artifacts", "examples", "self-service.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	shell.Write(t, filepath.Join("artifacts", "examples", "self-service.yaml"), string(example))
}
