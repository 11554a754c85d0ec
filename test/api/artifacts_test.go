// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// Every manifest that ships is one that the cluster takes as it is, with no
// field that it does not know and within the security standard of its namespace.
func TestArtifactsAreAccepted(t *testing.T) {
	t.Parallel()
	kubectl := env.Current(t).Kubectl()
	// A dry run creates no namespace for what is to be in it.
	kubectl.Must(t, "", "apply", "-f", filepath.Join(root, "artifacts", "node-leases", "namespace.yaml"))
	var files []string
	err := filepath.WalkDir(filepath.Join(root, "artifacts"), func(path string, entry os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") && entry.Name() != "kustomization.yaml" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 9 {
		t.Errorf("got %d manifests only: %q", len(files), files)
	}
	for _, file := range files {
		wantAccepted(t, file, kubectl.Try(t, "", "apply", "--dry-run=server", "--validate=strict", "-f", file))
	}
	for _, folder := range []string{"artifacts", "artifacts/legacy", "artifacts/legacy-kubevirt", "artifacts/node-leases"} {
		dir := filepath.Join(root, folder)
		wantAccepted(t, folder, kubectl.Try(t, "", "apply", "--dry-run=server", "--validate=strict", "-k", dir))
		wantAccepted(t, "removal of "+folder, kubectl.Try(t, "", "delete", "--dry-run=server", "--ignore-not-found", "-k", dir))
	}
}

// Each patch for old API groups fits the Deployment, and names the groups whose APIServices come with it.
func TestPatchForLegacyGroups(t *testing.T) {
	t.Parallel()
	kubectl := env.Current(t).Kubectl()
	for folder, want := range map[string][]string{
		"legacy": {"nodemaintenance.medik8s.io"}, "legacy-kubevirt": {"nodemaintenance.kubevirt.io", "kubevirt.io"},
	} {
		dir := filepath.Join(root, "artifacts", folder)
		args := kubectl.Must(t, "", "patch", "--local", "--type=json", "-f", filepath.Join(root, "artifacts", "deployment.yaml"),
			"--patch-file", filepath.Join(dir, "deployment-patch.json"), "-o", "jsonpath={.spec.template.spec.containers[0].args}")
		wantContains(t, "the arguments", args, `"--serve-legacy-groups=`+strings.Join(want, ",")+`"`)
		rendered := kubectl.Must(t, "", "kustomize", dir)
		if got := strings.Count(rendered, "kind: APIService\n"); got != len(want) {
			t.Errorf("%s: got %d APIServices, want one for each of %q", folder, got, want)
		}
		for _, group := range want {
			wantContains(t, "rendered manifests", rendered, "  group: "+group+"\n", "- nodemaintenances."+group+"\n")
		}
	}
}

func wantAccepted(t *testing.T, what string, out env.Output) {
	t.Helper()
	if out.Code != 0 {
		t.Errorf("%s: exit code %d\n%s", what, out.Code, out.Stderr)
	}
	for line := range strings.Lines(out.Stderr) {
		expected := strings.Contains(line, "last-applied-configuration") || // the test cluster was not set up by kubectl apply
			strings.Contains(line, `node "node-2" does not exist`) ||
			strings.Contains(line, "deleting cluster-scoped resources")
		if !expected {
			t.Errorf("%s: %s", what, line)
		}
	}
}

// The rendered manifests have what README's installation changes and waits for.
func TestKustomize(t *testing.T) {
	t.Parallel()
	kubectl := env.Current(t).Kubectl()
	rendered := kubectl.Must(t, "", "kustomize", filepath.Join(root, "artifacts"))
	wantContains(t, "rendered manifests", rendered,
		"kind: Namespace", "kind: ServiceAccount", "kind: ClusterRole", "kind: APIService", "kind: Service\n",
		"kind: PersistentVolumeClaim", "kind: Deployment", "image: maintenance-apiserver:latest\n")
	if strings.Contains(rendered, "insecureSkipTLSVerify") {
		t.Error("the aggregator is told not to verify the server")
	}
	kubectl.Must(t, "", "wait", "--for=condition=Available", "apiservice/v1beta1.maintenance.medik8s.io", "--timeout=60s")
}
