// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// newImage makes the image of a program for a platform. Its first layer is the same in each image.
func newImage(r *release, platform v1.Platform, program string) (v1.Image, error) {
	base, err := baseFiles()
	if err != nil {
		return nil, err
	}
	server, err := programFiles(program)
	if err != nil {
		return nil, err
	}
	image, err := appendLayers(r, []part{{"etc and tmp", base}, {entrypoint, server}})
	if err != nil {
		return nil, err
	}
	if image, err = configure(r, platform, image); err != nil {
		return nil, err
	}
	return mutate.Annotations(image, r.annotations()).(v1.Image), nil
}

// part is what becomes a layer, with a name for its history.
type part struct {
	name  string
	files []file
}

func appendLayers(r *release, parts []part) (v1.Image, error) {
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, p := range parts {
		layer, err := newLayer(p.files)
		if err != nil {
			return nil, err
		}
		history := v1.History{Created: v1.Time{Time: r.date}, CreatedBy: "make image", Comment: p.name}
		if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: history}); err != nil {
			return nil, err
		}
	}
	return image, nil
}

// configure says how to run the image.
func configure(r *release, platform v1.Platform, image v1.Image) (v1.Image, error) {
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = platform.OS, platform.Architecture
	config.Created = v1.Time{Time: r.date}
	config.Config = v1.Config{
		User:       fmt.Sprintf("%d:%d", nonRoot, nonRoot),
		Entrypoint: []string{entrypoint},
		WorkingDir: "/",
		Labels:     r.annotations(),
	}
	return mutate.ConfigFile(image, config)
}

// newIndex makes the index of the images of all platforms, in their order.
func newIndex(r *release, platforms []v1.Platform, images []v1.Image) v1.ImageIndex {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for i, image := range images {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &platforms[i]},
		})
	}
	return mutate.Annotations(index, r.annotations()).(v1.ImageIndex)
}
