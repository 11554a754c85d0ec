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
	var files []string
	err := filepath.WalkDir(filepath.Join(root, "artifacts"), func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 5 {
		t.Errorf("got %d manifests only: %q", len(files), files)
	}
	for _, file := range files {
		wantAccepted(t, file, kubectl.Try(t, "", "apply", "--dry-run=server", "--validate=strict", "-f", file))
		wantAccepted(t, "removal of "+file, kubectl.Try(t, "", "delete", "--dry-run=server", "--ignore-not-found", "-f", file))
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
			strings.Contains(line, "spec.nodeSelector selects none of the cluster's nodes") ||
			strings.Contains(line, "these are over, and do not come again") || // days of the example's year
			strings.Contains(line, "spec.externalName is ignored") || // the test cluster's Service points to loopback
			strings.Contains(line, "deleting cluster-scoped resources")
		if !expected {
			t.Errorf("%s: %s", what, line)
		}
	}
}
