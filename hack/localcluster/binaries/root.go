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
	directory, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("could not find the working directory: %w", err)
	}
	return rootAbove(directory)
}

func rootAbove(start string) (string, error) {
	for directory := start; ; directory = filepath.Dir(directory) {
		content, err := os.ReadFile(filepath.Join(directory, "go.mod"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("could not look for the repository's root: %w", err)
		}
		if firstLine, _, _ := strings.Cut(string(content), "\n"); firstLine == rootModule {
			return directory, nil
		}
		if directory == filepath.Dir(directory) {
			return "", fmt.Errorf("could not find the repository's root: no go.mod with %q above %s", rootModule, start)
		}
	}
}
