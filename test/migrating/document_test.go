// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migrating

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/document"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

var artifacts = filepath.Join("..", "..", "artifacts")

// docs/migrating.md can be followed.
func TestMigratingDocument(t *testing.T) {
	e := env.Current(t)
	pool := e.NewPool(t, 3)
	pool.Run(t, pool.Cluster.Workload(pool.Name).
		Pod("web", localcluster.OnNode(pool.Nodes[1])).Budget("web", localcluster.MinAvailable("1")))
	operator := installOperator(t, e)
	operator.takeOut(t, "nodemaintenance-sample", pool.Nodes[0],
		`{"phase":"Succeeded","drainProgress":100,"totalpods":2,"evictionPods":2,"lastUpdate":"2026-11-21T09:42:02Z"}`)
	operator.takeOut(t, "disk-of-"+pool.Nodes[1], pool.Nodes[1],
		`{"phase":"Running","totalpods":1,"evictionPods":1,"pendingPods":["web"],"pendingPodsRefs":[{"namespace":"`+pool.Name+`","name":"web"}],"lastUpdate":"2026-11-21T09:42:02Z"}`)
	operator.failWebhook(t)
	e.Kubectl().Must(t, "", "apply", "-f", filepath.Join(artifacts, "deployment.yaml"))

	t.Cleanup(func() {
		if err := e.Server.Start(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("could not start the server as it was: %v", err)
		}
	})
	shell := document.NewSession(t, pool)
	copyManifests(t, e, shell)
	shell.After("kubectl -n node-maintenance-operator scale deployment node-maintenance-operator-controller-manager --replicas=0",
		func(t *testing.T) { operator.lead(t, time.Now().Add(-2*time.Hour)) })
	shell.After("kubectl -n maintenance-system patch deployment maintenance-apiserver",
		func(t *testing.T) { restart(t, e) })
	shell.Check(t, "migrating.md", map[string]string{"admin": e.Cluster.Kubeconfig()})
}

// copyManifests puts the manifests where the commands look for them, with the port of the test's server.
func copyManifests(t *testing.T, e *env.Env, shell *document.Session) {
	t.Helper()
	port := "port: " + strconv.Itoa(e.Server.Port())
	for _, folder := range []string{"legacy", "node-leases"} {
		files, err := os.ReadDir(filepath.Join(artifacts, folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content := read(t, filepath.Join(artifacts, folder, file.Name()))
			shell.Write(t, filepath.Join("artifacts", folder, file.Name()), strings.ReplaceAll(content, "port: 443", port))
		}
	}
	shell.Write(t, "operator.yaml", read(t, filepath.Join("testdata", "operator.yaml")))
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// restart starts our server again, with the flags of this page that its Deployment has now.
func restart(t *testing.T, e *env.Env) {
	t.Helper()
	args := e.Kubectl().Must(t, "", "-n", "maintenance-system", "get", "deployment", "maintenance-apiserver",
		"-o", "jsonpath={.spec.template.spec.containers[0].args}")
	options := env.ServerOptions()
	options.Legacy = strings.Contains(args, "--serve-legacy-groups=") // so that the local cluster leaves the APIServices alone
	options.ExtraArgs = regexp.MustCompile(`--(serve-legacy-groups|node-leases)=[^"]*`).FindAllString(args, -1)
	if _, err := e.Cluster.StartServer(t.Context(), options); err != nil {
		t.Fatal(err)
	}
}
