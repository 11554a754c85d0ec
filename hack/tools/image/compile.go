// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// compile builds the server for a platform into dir, and returns the path of the program. The program does not depend on
// where the sources lie, nor on anything in the environment but the installed toolchain.
func compile(ctx context.Context, source string, r *release, platform v1.Platform, dir string) (string, error) {
	program := filepath.Join(dir, platform.OS+"-"+platform.Architecture)
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags", r.ldflags,
		"-o", program, "./cmd/apiserver")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "GOOS="+platform.OS, "GOARCH="+platform.Architecture, "CGO_ENABLED=0",
		// An empty value would leave what go env -w has set.
		"GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-trimpath", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("could not build the server for %s: %w\n%s", platform, err, out)
	}
	return program, nil
}
