// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package hack

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goFile finds the name of a Go file, with or without a path. A name with a star stands for several.
var goFile = regexp.MustCompile(`[\w./-]+\.go\b`)

// TestFilesNamedInDocs finds names of Go files that do not exist, in pages and in the doc.go of packages. A name may be
// the end of a path.
func TestFilesNamedInDocs(t *testing.T) {
	var docs []string
	paths := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != ".." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "bin"):
			return fs.SkipDir
		case entry.Name() == "doc.go", strings.HasSuffix(path, ".md"):
			docs = append(docs, path)
		}
		for end := filepath.ToSlash(path); end != ""; _, end, _ = strings.Cut(end, "/") {
			paths[end] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range goFile.FindAllString(string(text), -1) {
			if !paths[strings.TrimLeft(name, "./")] {
				t.Errorf("%s names %s, which does not exist", doc, name)
			}
		}
	}
	if len(docs) < 50 {
		t.Errorf("found only %d pages: %v", len(docs), docs)
	}
}
