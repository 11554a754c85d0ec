// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package binaries

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeModule(t *testing.T, dir, mod, sum string) {
	t.Helper()
	for name, content := range map[string]string{"go.mod": mod, "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDigest(t *testing.T) {
	sum := func(mod, modSum, goVersion string) string {
		dir := t.TempDir()
		writeModule(t, dir, mod, modSum)
		d, err := digest(dir, goVersion)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	base := sum("module a", "x", "go1.26.0")
	if again := sum("module a", "x", "go1.26.0"); again != base {
		t.Error("the digest differs though nothing does")
	}
	for name, other := range map[string]string{
		"go.mod":                 sum("module b", "x", "go1.26.0"),
		"go.sum":                 sum("module a", "y", "go1.26.0"),
		"Go version":             sum("module a", "x", "go1.26.1"),
		"border between the two": sum("module ax", "", "go1.26.0"),
	} {
		if other == base {
			t.Errorf("the digest is the same though the %s is another", name)
		}
	}
	if _, err := digest(t.TempDir(), "go1.26.0"); err == nil {
		t.Error("a directory without a module has a digest")
	}
}

func TestManifest(t *testing.T) {
	dir := t.TempDir()
	m, err := loadManifest(dir)
	if err != nil || len(m) != 0 {
		t.Fatalf("got %v, %v before the first build, want an empty manifest", m, err)
	}
	m[Etcd] = "digest"
	if err := m.save(dir); err != nil {
		t.Fatal(err)
	}
	if m, err = loadManifest(dir); err != nil {
		t.Fatal(err)
	}
	if m.current(dir, Etcd, "digest") {
		t.Error("a binary that does not exist is current")
	}
	if err := os.WriteFile(filepath.Join(dir, Etcd), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !m.current(dir, Etcd, "digest") || m.current(dir, Etcd, "other") || m.current(dir, Kwok, "digest") {
		t.Error("want exactly the binary with its recorded digest to be current")
	}
}

func TestRootAbove(t *testing.T) {
	root := t.TempDir()
	nested := filepath.Join(root, "hack", "localcluster", "kwok")
	if err := os.MkdirAll(nested, 0o700); err != nil {
		t.Fatal(err)
	}
	writeModule(t, nested, rootModule+"/hack/localcluster/kwok\n", "")
	if found, err := rootAbove(nested); err == nil {
		t.Errorf("found root %s though no go.mod is the repository's", found)
	}
	writeModule(t, root, rootModule+"\n\ngo 1.26.0\n", "")
	if found, err := rootAbove(nested); err != nil || found != root {
		t.Errorf("got root %s, %v, want %s", found, err, root)
	}
}

func TestLdflags(t *testing.T) {
	if got := ldflags(""); got != "-s -w" {
		t.Errorf("got %q for a program with its own version", got)
	}
	got := ldflags("v1.36.3")
	for _, want := range []string{
		"-X k8s.io/component-base/version.gitVersion=v1.36.3",
		"-X k8s.io/component-base/version.gitMajor=1",
		"-X k8s.io/client-go/pkg/version.gitMinor=36",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}
