// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// options are what the flags say.
type options struct {
	// source is the root directory of the project.
	source string
	// output is the directory of the layout. What is there of an earlier layout is replaced.
	output string
	// platforms are what the server is built for, in the order of the index.
	platforms []v1.Platform
	// push is where the image goes; nil if it stays here.
	push *name.Tag
}

// parse reads the flags. Its errors say which flag is wrong.
func parse(args []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.source, "source", ".", "")
	flags.StringVar(&o.output, "output", "bin/image", "")
	platforms := flags.String("platforms", "linux/amd64 linux/arm64", "")
	reference := flags.String("push", "", "")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("%q is no flag: the flags are --source, --output, --platforms and --push", flags.Arg(0))
	}
	var err error
	if o.platforms, err = parsePlatforms(*platforms); err != nil {
		return nil, err
	}
	if *reference != "" {
		o.push, err = parseReference(*reference)
	}
	return o, err
}

// parsePlatforms reads platforms that are separated by spaces.
func parsePlatforms(list string) ([]v1.Platform, error) {
	var platforms []v1.Platform
	for _, field := range strings.Fields(list) {
		platform, err := v1.ParsePlatform(field)
		if err != nil || platform.OS != "linux" || platform.String() != "linux/"+platform.Architecture {
			return nil, fmt.Errorf("%q is not a platform such as linux/amd64", field)
		}
		for _, other := range platforms {
			if other.Equals(*platform) {
				return nil, fmt.Errorf("the platform %s is named twice", field)
			}
		}
		platforms = append(platforms, *platform)
	}
	if len(platforms) == 0 {
		return nil, fmt.Errorf("no platform is named, such as linux/amd64")
	}
	return platforms, nil
}

// parseReference reads where to push. Registry and tag must be named, so that nothing goes to a place that was not meant.
func parseReference(reference string) (*name.Tag, error) {
	tag, err := name.NewTag(reference, name.StrictValidation)
	if err != nil {
		return nil, fmt.Errorf("could not push to %q, which must be REGISTRY/REPOSITORY:TAG: %w", reference, err)
	}
	return &tag, nil
}
