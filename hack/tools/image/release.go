// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// release is which version of the server an image is of.
type release struct {
	version string
	// commit is the hash of the commit, or "unknown".
	commit string
	// date is the time when the commit was made.
	date time.Time
	// ldflags have the linker write the version into the server.
	ldflags string
}

// readRelease asks hack/version.sh of the sources.
func readRelease(ctx context.Context, source string) (*release, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(source, "hack", "version.sh"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("could not find out the version: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	values := map[string]string{}
	for line := range strings.Lines(stdout.String()) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[key] = value
	}
	date, err := time.Parse(time.RFC3339, values["date"])
	if err != nil {
		return nil, fmt.Errorf("could not find out the date of the version: %w", err)
	}
	return &release{version: values["version"], commit: values["commit"], date: date, ldflags: values["ldflags"]}, nil
}

// annotations are what an image says of itself; also its labels.
func (r *release) annotations() map[string]string {
	const project = "https://github.com/medik8s/maintenance-apiserver"
	return map[string]string{
		"org.opencontainers.image.title":       "maintenance-apiserver",
		"org.opencontainers.image.description": "Takes Kubernetes nodes out of service and gives them back",
		"org.opencontainers.image.url":         project,
		"org.opencontainers.image.source":      project,
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.version":     r.version,
		"org.opencontainers.image.revision":    r.commit,
		"org.opencontainers.image.created":     r.date.Format(time.RFC3339),
	}
}
