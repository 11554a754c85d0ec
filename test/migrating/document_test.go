// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migrating

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/document"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

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
	shell := document.NewSession(t, pool)
	shell.Copy(t, filepath.Join("..", "..", "chart"))
	shell.Write(t, "operator.yaml", read(t, filepath.Join("testdata", "operator.yaml")))
	shell.After("kubectl -n node-maintenance-operator scale deployment node-maintenance-operator-controller-manager --replicas=0",
		func(t *testing.T) { operator.lead(t, time.Now().Add(-2*time.Hour)) })
	shell.After("helm upgrade maintenance-apiserver", func(t *testing.T) { restart(t, e) })
	shell.Check(t, "migrating.md", map[string]string{"admin": e.Cluster.Kubeconfig()})
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
	options := serverOptions()
	options.ExtraArgs = regexp.MustCompile(`--(serve-legacy-groups|node-leases)=[^"]*`).FindAllString(args, -1)
	server, err := e.Cluster.StartServer(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	e.Server = server
}
