// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package binaries

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// rootModule is the first line of the go.mod in the repository's root. Modules of tools in
// the repository have other ones.
const rootModule = "module github.com/medik8s/maintenance-apiserver"

// Root returns the repository's root: the working directory or one of its parents.
func Root() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("could not find the working directory: %w", err)
	}
	return rootAbove(folder)
}

func rootAbove(start string) (string, error) {
	for folder := start; ; folder = filepath.Dir(folder) {
		content, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("could not look for the repository's root: %w", err)
		}
		if firstLine, _, _ := strings.Cut(string(content), "\n"); firstLine == rootModule {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", fmt.Errorf("could not find the repository's root: no go.mod with %q above %s", rootModule, start)
		}
	}
}
