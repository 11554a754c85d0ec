// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// run makes the image, and says on out what it has made. If the image was pushed, the last line is its name by digest.
func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := mayReplace(o.output); err != nil {
		return err
	}
	r, err := readRelease(ctx, o.source)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "image")
	if err != nil {
		return fmt.Errorf("could not create a directory for the programs: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	index, err := buildAll(ctx, o, r, dir, out)
	if err != nil {
		return err
	}
	return deliver(ctx, o, r, index, out)
}

// buildAll compiles the server for every platform, and returns the index of their images.
func buildAll(ctx context.Context, o *options, r *release, dir string, out io.Writer) (v1.ImageIndex, error) {
	images := make([]v1.Image, 0, len(o.platforms))
	for _, platform := range o.platforms {
		program, err := compile(ctx, o.source, r, platform, dir)
		if err != nil {
			return nil, err
		}
		image, err := newImage(r, platform, program)
		if err != nil {
			return nil, fmt.Errorf("could not make the image for %s: %w", platform, err)
		}
		if err := describe(out, platform, image); err != nil {
			return nil, err
		}
		images = append(images, image)
	}
	return newIndex(r, o.platforms, images), nil
}

// describe prints the digest of an image, and how large it is to download.
func describe(out io.Writer, platform v1.Platform, image v1.Image) error {
	manifest, err := image.Manifest()
	if err != nil {
		return fmt.Errorf("could not make the manifest for %s: %w", platform, err)
	}
	digest, err := image.Digest()
	if err != nil {
		return fmt.Errorf("could not make the manifest for %s: %w", platform, err)
	}
	size := manifest.Config.Size
	for _, layer := range manifest.Layers {
		size += layer.Size
	}
	fmt.Fprintf(out, "%s %s %.1f MiB\n", platform, digest, float64(size)/(1<<20))
	return nil
}

// deliver writes the layout, and pushes the index if a reference is given.
func deliver(ctx context.Context, o *options, r *release, index v1.ImageIndex, out io.Writer) error {
	digest, err := index.Digest()
	if err != nil {
		return fmt.Errorf("could not make the index: %w", err)
	}
	if err := writeLayout(o.output, r, index); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s %s %s\n", o.output, digest, r.version)
	if o.push == nil {
		return nil
	}
	if err := push(ctx, *o.push, index); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n", o.push.Digest(digest.String()))
	return nil
}
