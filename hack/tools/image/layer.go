// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// newLayer makes a layer of files. No file has a time, so that a layer changes only if a file does.
func newLayer(files []file) (v1.Layer, error) {
	var archive bytes.Buffer
	if err := writeTar(&archive, files); err != nil {
		return nil, fmt.Errorf("could not make a layer: %w", err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer),
		tarball.WithCompressionLevel(gzip.DefaultCompression), tarball.WithCompressedCaching)
}

func writeTar(out io.Writer, files []file) error {
	archive := tar.NewWriter(out)
	for _, f := range files {
		if err := archive.WriteHeader(f.header()); err != nil {
			return err
		}
		if _, err := archive.Write(f.content); err != nil {
			return err
		}
	}
	return archive.Close()
}
