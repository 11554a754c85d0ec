// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// wantAnnotations are those of a tiny source.
func wantAnnotations() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       "maintenance-apiserver",
		"org.opencontainers.image.description": "Takes Kubernetes nodes out of service and gives them back",
		"org.opencontainers.image.url":         "https://github.com/medik8s/maintenance-apiserver",
		"org.opencontainers.image.source":      "https://github.com/medik8s/maintenance-apiserver",
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.version":     "v1.2.3",
		"org.opencontainers.image.revision":    "688d3013cbe3",
		"org.opencontainers.image.created":     "2026-05-04T12:00:00Z",
	}
}

// TestSameBytes makes the image of the same sources twice, in other directories and another environment.
func TestSameBytes(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "image"), filepath.Join(t.TempDir(), "other", "image")
	first := makeImage(t, "--source", tinySource(t, "v1.2.3"), "--output", a)

	t.Setenv("GOAMD64", "v3")
	t.Setenv("GOARM64", "v9.0")
	t.Setenv("GOFLAGS", "-tags=other")
	t.Setenv("GOFIPS140", "latest")
	settings := t.TempDir()
	write(t, settings, "env", "GOFLAGS=-tags=other\n")
	t.Setenv("GOENV", filepath.Join(settings, "env"))
	t.Setenv("TZ", "Asia/Tokyo")
	second := makeImage(t, "--source", tinySource(t, "v1.2.3"), "--output", b)
	compareLayouts(t, a, b)
	if diff := cmp.Diff(first[:2], second[:2]); diff != "" {
		t.Errorf("the images differ:\n%s", diff)
	}
}

func TestIndex(t *testing.T) {
	index := readIndex(t, makeLayout(t))
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	got, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var platforms []string
	for _, image := range got.Manifests {
		platforms = append(platforms, image.Platform.String())
		if image.MediaType != types.OCIManifestSchema1 {
			t.Errorf("the image for %s is a %s", image.Platform, image.MediaType)
		}
	}
	if diff := cmp.Diff([]string{"linux/amd64", "linux/arm64"}, platforms); diff != "" {
		t.Errorf("platforms differ (-want +got):\n%s", diff)
	}
	if got.MediaType != types.OCIImageIndex {
		t.Errorf("the index is a %s", got.MediaType)
	}
	if diff := cmp.Diff(wantAnnotations(), got.Annotations); diff != "" {
		t.Errorf("annotations differ (-want +got):\n%s", diff)
	}
}

func TestConfig(t *testing.T) {
	date := v1.Time{Time: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	for _, image := range images(t, readIndex(t, makeLayout(t))) {
		manifest, err := image.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wantAnnotations(), manifest.Annotations); diff != "" {
			t.Errorf("annotations differ (-want +got):\n%s", diff)
		}
		got, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		want := &v1.ConfigFile{
			Architecture: got.Architecture, OS: "linux", Created: date, RootFS: got.RootFS,
			Config: v1.Config{
				User: "65532:65532", Entrypoint: []string{"/maintenance-apiserver"}, WorkingDir: "/", Labels: wantAnnotations(),
			},
			History: []v1.History{
				{Created: date, CreatedBy: "make image", Comment: "etc and tmp"},
				{Created: date, CreatedBy: "make image", Comment: "/maintenance-apiserver"},
			},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("configurations differ (-want +got):\n%s", diff)
		}
	}
}

// TestFiles checks everything that is in the images, and that they share the layer that has no program.
func TestFiles(t *testing.T) {
	want := []string{
		"drwxr-xr-x 0:0 etc",
		"-rw-r--r-- 0:0 etc/group",
		"-rw-r--r-- 0:0 etc/passwd",
		"drwxr-xr-x 0:0 etc/ssl",
		"drwxr-xr-x 0:0 etc/ssl/certs",
		"-rw-r--r-- 0:0 etc/ssl/certs/ca-certificates.crt",
		"-rwxr-xr-x 0:0 maintenance-apiserver",
		"dtrwxrwxrwx 65532:65532 tmp",
	}
	machines := []elf.Machine{elf.EM_X86_64, elf.EM_AARCH64}
	bases := map[string]bool{}
	for i, image := range images(t, readIndex(t, makeLayout(t))) {
		var got []string
		entries := extract(t, image)
		slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.header.Name, b.header.Name) })
		for _, e := range entries {
			got = append(got, e.line())
			if !e.header.ModTime.Equal(time.Unix(0, 0)) {
				t.Errorf("%s is of %s", e.header.Name, e.header.ModTime)
			}
			if e.header.Name == "maintenance-apiserver" {
				checkStatic(t, e.content, machines[i])
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("files differ (-want +got):\n%s", diff)
		}
		manifest, err := image.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		bases[manifest.Layers[0].Digest.String()] = true
	}
	if len(bases) != 1 {
		t.Errorf("the platforms have %d different first layers, want one", len(bases))
	}
}

// checkStatic fails the test if a program is for another machine, or needs a dynamic linker.
func checkStatic(t *testing.T, program []byte, want elf.Machine) {
	t.Helper()
	file, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	if file.Machine != want {
		t.Errorf("the program is for %s, want %s", file.Machine, want)
	}
	for _, part := range file.Progs {
		if part.Type == elf.PT_INTERP {
			t.Error("the program needs a dynamic linker")
		}
	}
}

// makeLayout makes the image of a tiny source, and returns the directory of its layout.
func makeLayout(t *testing.T) string {
	t.Helper()
	output := filepath.Join(t.TempDir(), "image")
	makeImage(t, "--source", tinySource(t, "v1.2.3"), "--output", output)
	return output
}

// readIndex returns the one entry of a layout.
func readIndex(t *testing.T, dir string) v1.ImageIndex {
	t.Helper()
	top, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := top.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(manifest.Manifests) != 1 {
		t.Fatalf("the layout has %d entries, want one", len(manifest.Manifests))
	}
	index, err := top.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func images(t *testing.T, index v1.ImageIndex) []v1.Image {
	t.Helper()
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var all []v1.Image
	for _, descriptor := range manifest.Manifests {
		image, err := index.Image(descriptor.Digest)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, image)
	}
	return all
}

// entry is one entry of the archive that the layers of an image make.
type entry struct {
	header  *tar.Header
	content []byte
}

func (e entry) line() string {
	return fmt.Sprintf("%s %d:%d %s", e.header.FileInfo().Mode(), e.header.Uid, e.header.Gid, e.header.Name)
}

// extract returns what a container of an image sees.
func extract(t *testing.T, image v1.Image) []entry {
	t.Helper()
	stream := mutate.Extract(image)
	defer func() { _ = stream.Close() }()
	archive := tar.NewReader(stream)
	var entries []entry
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{header, content})
	}
}
