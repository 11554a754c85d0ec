// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadFlags(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string
	}{
		"unknown flag":        {args: []string{"--tag=x"}, want: "flag provided but not defined: -tag"},
		"no flag":             {args: []string{"push"}, want: `"push" is no flag: the flags are --source, --output, --platforms and --push`},
		"no platform":         {args: []string{"--platforms="}, want: "no platform is named, such as linux/amd64"},
		"no architecture":     {args: []string{"--platforms=linux"}, want: `"linux" is not a platform such as linux/amd64`},
		"another system":      {args: []string{"--platforms=windows/amd64"}, want: `"windows/amd64" is not a platform such as linux/amd64`},
		"variant":             {args: []string{"--platforms=linux/arm/v7"}, want: `"linux/arm/v7" is not a platform such as linux/amd64`},
		"platform twice":      {args: []string{"--platforms=linux/amd64 linux/amd64"}, want: "the platform linux/amd64 is named twice"},
		"push without tag":    {args: []string{"--push=quay.io/a/b"}, want: `could not push to "quay.io/a/b", which must be REGISTRY/REPOSITORY:TAG: `},
		"push without server": {args: []string{"--push=b:v1"}, want: `could not push to "b:v1", which must be REGISTRY/REPOSITORY:TAG: `},
		"push by digest":      {args: []string{"--push=quay.io/b@sha256:" + strings.Repeat("0", 64)}, want: "which must be REGISTRY/REPOSITORY:TAG: "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := parse(tt.args)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestReplaces checks that nothing of an earlier image stays in the layout.
func TestReplaces(t *testing.T) {
	again, fresh := t.TempDir(), filepath.Join(t.TempDir(), "image")
	makeImage(t, "--source", tinySource(t, "v1.2.3"), "--output", again, "--platforms", "linux/amd64")
	source := tinySource(t, "v1.2.4")
	makeImage(t, "--source", source, "--output", again, "--platforms", "linux/amd64")
	makeImage(t, "--source", source, "--output", fresh, "--platforms", "linux/amd64")
	compareLayouts(t, again, fresh)
}

func TestOtherFilesStay(t *testing.T) {
	output := t.TempDir()
	write(t, output, "notes", "mine")
	err := run(t.Context(), []string{"--source", tinySource(t, "v1.2.3"), "--output", output}, io.Discard)
	if want := output + " has other files than those of an image, and would lose them: name a new directory"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %q", err, want)
	}
	if _, err := os.Stat(filepath.Join(output, "notes")); err != nil {
		t.Error(err)
	}
}

func TestBadSource(t *testing.T) {
	tests := map[string]struct {
		path, content string
		want          string
	}{
		"no version":       {path: "hack/version.sh", content: "#!/bin/sh\necho too bad >&2\nexit 1\n", want: "could not find out the version: exit status 1: too bad"},
		"no date":          {path: "hack/version.sh", content: "#!/bin/sh\necho version=v1.2.3\n", want: "could not find out the date of the version: "},
		"does not compile": {path: "cmd/apiserver/main.go", content: "package main\n", want: "could not build the server for linux/amd64: exit status 1\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			source := tinySource(t, "v1.2.3")
			write(t, source, tt.path, tt.content)
			err := run(t.Context(), []string{"--source", source, "--output", filepath.Join(t.TempDir(), "image")}, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}
