// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// An admin installs the chart, upgrades it, goes back, and uninstalls it. Simulated kubelets make the pods ready.
func TestLifecycle(t *testing.T) {
	chart := here(t)
	server := install(t, chart)
	serve(t)
	wantPods(t, "v1")
	ca := caBundle(t)
	takeOut(t)

	wantStoreStays(t, chart)
	helm(t, "upgrade", localcluster.ServerName, chart, "--reset-then-reuse-values", "--set", "podLabels.release=v2")
	wantPods(t, "v2")
	wantSame(t, ca)
	helm(t, "rollback", localcluster.ServerName)
	wantPods(t, "v1")
	wantSame(t, ca)

	refused, err := uninstall(t)
	wantContains(t, "the uninstall", refused, "in maintenance, or are to be (1)", "- node-1 (NodeMaintenance disk of admin)")
	if err == nil {
		t.Fatal("it is uninstalled although a node is in maintenance")
	}
	wantSame(t, ca)
	// An upgrade needs a rollback first. The text says so, with the command.
	giveBack := []string{"upgrade", localcluster.ServerName, chart, "--reset-then-reuse-values", "--set", "uninstall.giveBack=true"}
	if _, err := cluster.Helm(t.Context(), giveBack...); err == nil {
		t.Error("Helm upgrades a release whose uninstall was refused, want the text of the uninstall to say so")
	}
	_, rollback, _ := strings.Cut(refused, "\n  helm rollback ")
	rollback, _, _ = strings.Cut(rollback, "\n")
	helm(t, append([]string{"rollback"}, strings.Fields(rollback)...)...)
	helm(t, giveBack...)
	given, err := uninstall(t)
	wantContains(t, "the uninstall", given, "Giving back: node-1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Terminate(t.Context()); err != nil {
		t.Error(err)
	}
	wantNothingLeft(t)
}

// serviceHere is the Service of the chart, but points to a process of the test: nothing runs in simulated pods.
const serviceHere = `{apiVersion: v1, kind: Service, metadata: {name: maintenance-apiserver}, spec: {type: ExternalName, externalName: localhost}}`

// here returns the folder of a copy of the chart that has serviceHere.
func here(t *testing.T) string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "chart")
	if err := os.CopyFS(copied, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied, "templates", "service.yaml"), []byte(serviceHere), 0o600); err != nil {
		t.Fatal(err)
	}
	return copied
}

// install installs two replicas, and starts the process to which the Service points.
func install(t *testing.T, chart string) *localcluster.Server {
	t.Helper()
	port, err := process.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	helm(t, "install", localcluster.ServerName, chart, "--create-namespace", "--set", image, "--set", fmt.Sprintf("podLabels.release=v1,service.port=%d", port))
	options := env.ServerOptions()
	options.Installed, options.Port, options.Store = true, port, "cluster"
	server, err := cluster.StartServer(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// serve waits until the API answers.
func serve(t *testing.T) {
	t.Helper()
	kubectl().Must(t, "", "wait", "--for=condition=Available", "apiservice/"+localcluster.APIServiceName, "--timeout=1m")
}

func helm(t *testing.T, args ...string) string {
	t.Helper()
	out, err := cluster.Helm(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// wantPods waits until two pods of this release are ready, and no others are there.
func wantPods(t *testing.T, release string) {
	t.Helper()
	kubectl().Must(t, "", "-n", localcluster.ServerNamespace, "rollout", "status", "deployment", localcluster.ServerName, "--timeout=1m")
	env.Eventually(t, "two pods of release "+release, func(context.Context) string {
		got := kubectl().Must(t, "", "-n", localcluster.ServerNamespace, "get", "pods", "-o", "jsonpath={.items[*].metadata.labels.release}")
		if got != release+" "+release {
			return "got pods of " + got
		}
		return ""
	})
}

func caBundle(t *testing.T) string {
	t.Helper()
	ca := kubectl().Must(t, "", "get", "apiservice", localcluster.APIServiceName, "-o", "jsonpath={.spec.caBundle}")
	if ca == "" {
		t.Fatal("the APIService has no caBundle")
	}
	return ca
}

// wantSame wants the APIService to be as the server left it, and the server to answer.
func wantSame(t *testing.T, ca string) {
	t.Helper()
	if got := caBundle(t); got != ca {
		t.Errorf("the caBundle is another one: %s", got)
	}
	out := kubectl().Must(t, "", "get", "nodemaintenances", "-o", "name")
	wantContains(t, "nodemaintenances", out, "nodemaintenance.maintenance.medik8s.io/disk")
}

// takeOut drains a node.
func takeOut(t *testing.T) {
	t.Helper()
	kubectl().Must(t, `{"apiVersion":"maintenance.medik8s.io/v1beta1","kind":"NodeMaintenance","metadata":{"name":"disk"},"spec":{"nodeName":"node-1"}}`,
		"create", "-f", "-")
	kubectl().Must(t, "", "wait", "--for=jsonpath={.spec.unschedulable}=true", "node/node-1", "--timeout="+env.Timeout.String())
}

// kept is in the names of what an uninstall leaves on purpose.
const kept = "store.maintenance.medik8s.io"

// wantNothingLeft wants no object of the release in the cluster, a node that is in service, and namespaces that can be
// deleted.
func wantNothingLeft(t *testing.T) {
	t.Helper()
	// What belongs to an object that Helm deleted, as a ReplicaSet does, goes a while later.
	env.Eventually(t, "nothing is left", func(context.Context) string { return strings.Join(leftOver(t), ", ") })
	if got := kubectl().Must(t, "", "get", "node", "node-1", "-o", "jsonpath={.spec.unschedulable}{.metadata.annotations}"); strings.Contains(got, "true") {
		t.Errorf("node-1 is not given back: %s", got)
	}
	kubectl().Must(t, "", "create", "namespace", "passing")
	kubectl().Must(t, "", "delete", "namespace", "passing", "--timeout=1m")
}

// leftOver are the objects of the release that are there and should not be.
func leftOver(t *testing.T) (names []string) {
	t.Helper()
	for _, kinds := range []string{
		"apiservices,clusterroles,clusterrolebindings,flowschemas,crds,validatingadmissionpolicies",
		"all,configmaps,secrets,serviceaccounts,roles,rolebindings,resourcequotas,poddisruptionbudgets",
	} {
		left := kubectl().Must(t, "", "get", kinds, "-A", "--ignore-not-found", "-o", "name", "-l", "app.kubernetes.io/instance="+localcluster.ServerName)
		for line := range strings.Lines(left) {
			if !strings.Contains(line, kept) && !strings.HasPrefix(line, "pod/") {
				names = append(names, strings.TrimSpace(line))
			}
		}
	}
	return names
}

// serverBinary is the server under test.
func serverBinary() string {
	if binary := env.ServerOptions().Binary; binary != "" {
		return binary
	}
	return filepath.Join(cluster.BinDir(), "maintenance-apiserver")
}
