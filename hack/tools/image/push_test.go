// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

func TestPush(t *testing.T) {
	host := newRegistry(t, nil)
	output := filepath.Join(t.TempDir(), "image")
	lines := makeImage(t, "--source", tinySource(t, "v1.2.3"), "--output", output, "--push", host+"/maintenance/server:v1.2.3")

	want, err := readIndex(t, output).Digest()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := lines[len(lines)-1], host+"/maintenance/server@"+want.String(); got != want {
		t.Errorf("the last line is %q, want %q", got, want)
	}
	for _, reference := range []string{host + "/maintenance/server:v1.2.3", lines[len(lines)-1]} {
		if image := pull(t, reference, "arm64"); len(extract(t, image)) == 0 {
			t.Errorf("%s is empty", reference)
		}
	}
}

// TestCredentials checks that an image is pushed as whoever has logged in.
func TestCredentials(t *testing.T) {
	host := newRegistry(t, func(r *http.Request) bool {
		user, password, ok := r.BasicAuth()
		return ok && user == "builder" && password == "secret"
	})
	args := []string{
		"--source", tinySource(t, "v1.2.3"), "--output", filepath.Join(t.TempDir(), "image"),
		"--platforms", "linux/amd64", "--push", host + "/server:v1.2.3",
	}
	config := t.TempDir()
	t.Setenv("DOCKER_CONFIG", config)
	err := run(t.Context(), args, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "could not push to "+host+"/server:v1.2.3: ") {
		t.Errorf("without credentials: error %v", err)
	}

	auth := base64.StdEncoding.EncodeToString([]byte("builder:secret"))
	write(t, config, "config.json", `{"auths": {"`+host+`": {"auth": "`+auth+`"}}}`)
	if err := run(t.Context(), args, io.Discard); err != nil {
		t.Errorf("with credentials: %v", err)
	}
}

// newRegistry starts a registry on loopback that lets in whom allowed says, or all if that is nil. It returns its host.
func newRegistry(t *testing.T, allowed func(*http.Request) bool) string {
	t.Helper()
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if allowed != nil && !allowed(r) {
			w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// pull returns the image that a node of an architecture would run.
func pull(t *testing.T, reference, architecture string) v1.Image {
	t.Helper()
	parsed, err := name.ParseReference(reference)
	if err != nil {
		t.Fatal(err)
	}
	platform := v1.Platform{OS: "linux", Architecture: architecture}
	image, err := remote.Image(parsed, remote.WithPlatform(platform), remote.WithContext(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return image
}
