// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tinySource makes sources that are built in no time: a program that does nothing, of a version. It returns their root.
func tinySource(t *testing.T, version string) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, "go.mod", "module example.com/tiny\n\ngo 1.26.0\n")
	write(t, root, "cmd/apiserver/main.go", "package main\n\nvar version string\n\nfunc main() { println(version) }\n")
	write(t, root, "hack/version.sh", "#!/bin/sh\necho version="+version+
		"\necho commit=688d3013cbe3\necho date=2026-05-04T12:00:00Z\necho ldflags=-s -w -X main.version="+version+"\n")
	return root
}

func write(t *testing.T, root, path, content string) {
	t.Helper()
	path = filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

// makeImage runs the tool and returns the lines that it prints.
func makeImage(t *testing.T, args ...string) []string {
	t.Helper()
	var out strings.Builder
	if err := run(t.Context(), args, &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

// contents returns the content of each file below a directory, by its path.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// compareLayouts fails the test if two layouts differ by a byte.
func compareLayouts(t *testing.T, a, b string) {
	t.Helper()
	first, second := contents(t, a), contents(t, b)
	if len(first) < 3 {
		t.Errorf("the layout has %d files", len(first))
	}
	for path := range first {
		if second[path] != first[path] {
			t.Errorf("%s is in one layout, and not the same in the other", path)
		}
	}
	if len(first) != len(second) {
		t.Errorf("one layout has %d files, the other %d", len(first), len(second))
	}
}
