// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// mayReplace returns an error if there is something else than a layout at the path of the output.
func mayReplace(output string) error {
	entries, err := os.ReadDir(output)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("could not read what --output names: %w", err)
	}
	if _, err := os.Stat(filepath.Join(output, "oci-layout")); err != nil {
		return fmt.Errorf("%s has other files than those of an image, and would lose them: name a new directory", output)
	}
	return nil
}

// writeLayout writes a layout with one entry, the index. It replaces an earlier layout at the same path.
func writeLayout(output string, r *release, index v1.ImageIndex) error {
	if err := os.RemoveAll(output); err != nil {
		return fmt.Errorf("could not remove the last image: %w", err)
	}
	path, err := layout.Write(output, empty.Index)
	if err != nil {
		return fmt.Errorf("could not write the layout: %w", err)
	}
	named := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.version})
	if err := path.AppendIndex(index, named); err != nil {
		return fmt.Errorf("could not write the layout: %w", err)
	}
	return nil
}
