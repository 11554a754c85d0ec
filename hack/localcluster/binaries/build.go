// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package binaries

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
)

// lockName is the file in the binary directory that lets one build run at a time.
const lockName = ".localcluster.lock"

// buildEnv makes builds independent of C compilers and go.work files.
const buildEnv = "CGO_ENABLED=0 GOWORK=off"

// Ensure builds the programs that are missing in binDir or out of date, and writes a line
// of progress for each program to log. If quiet, it writes no lines for programs that are
// up to date. Without names, it builds all programs. Several processes may call it at once:
// one of them builds, and the others wait.
func Ensure(ctx context.Context, root, binDir string, log io.Writer, quiet bool, names ...string) error {
	wanted, err := programsNamed(names)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(binDir, 0o755); err != nil {
		return fmt.Errorf("could not make directory for binaries: %w", err)
	}
	unlock, err := process.Lock(ctx, filepath.Join(binDir, lockName), func() {
		_, _ = fmt.Fprintln(log, "waiting for another build of the control plane to end")
	})
	if err != nil {
		return err
	}
	defer unlock()

	b := &builder{modulesDir: filepath.Join(root, "hack", "localcluster"), binDir: binDir, log: log, quiet: quiet}
	if b.goVersion, err = goOutput(ctx, root, "env", "GOVERSION"); err != nil {
		return err
	}
	if b.built, err = loadManifest(binDir); err != nil {
		return err
	}
	for _, p := range wanted {
		if err := b.ensure(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

type builder struct {
	modulesDir, binDir string
	goVersion          string
	built              manifest
	log                io.Writer
	quiet              bool
}

func (b *builder) ensure(ctx context.Context, p program) error {
	moduleDir := filepath.Join(b.modulesDir, p.module)
	want, err := digest(moduleDir, b.goVersion)
	if err != nil {
		return err
	}
	if b.built.current(b.binDir, p.name, want) {
		if !b.quiet {
			b.report(p.name, "reused")
		}
		return nil
	}
	start := time.Now()
	if err := b.build(ctx, moduleDir, p); err != nil {
		return err
	}
	b.report(p.name, fmt.Sprintf("built in %.0f s", time.Since(start).Seconds()))
	b.built[p.name] = want
	return b.built.save(b.binDir)
}

func (b *builder) report(name, what string) {
	size := int64(0)
	if info, err := os.Stat(filepath.Join(b.binDir, name)); err == nil {
		size = info.Size()
	}
	_, _ = fmt.Fprintf(b.log, "%-24s %-16s %4d MB\n", name, what, size/1_000_000)
}

// build writes to a temporary name first, so that an interrupted build leaves no incomplete
// binary, and a running binary is not overwritten.
func (b *builder) build(ctx context.Context, moduleDir string, p program) error {
	version, err := moduleVersion(ctx, moduleDir, p)
	if err != nil {
		return err
	}
	path := filepath.Join(b.binDir, p.name)
	if _, err := goOutput(ctx, moduleDir, "build", "-trimpath", "-ldflags", ldflags(version), "-o", path+".new", p.importPath); err != nil {
		return fmt.Errorf("could not build %s: %w", p.name, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("could not build %s: %w", p.name, err)
	}
	return nil
}

// moduleVersion returns the version to set in a program; kwok and etcd have theirs in their
// source.
func moduleVersion(ctx context.Context, moduleDir string, p program) (string, error) {
	if p.module != kubernetesModule {
		return "", nil
	}
	return goOutput(ctx, moduleDir, "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
}

// ldflags strips debugging symbols, which are half of a binary's size, and sets the version
// of Kubernetes' programs, which is v0.0.0 otherwise.
func ldflags(version string) string {
	flags := []string{"-s", "-w"}
	if version == "" {
		return strings.Join(flags, " ")
	}
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		flags = append(flags, "-X", pkg+".gitVersion="+version, "-X", pkg+".gitMajor="+parts[0])
		if len(parts) > 1 {
			flags = append(flags, "-X", pkg+".gitMinor="+parts[1])
		}
	}
	return strings.Join(flags, " ")
}

func goOutput(ctx context.Context, dir string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), strings.Fields(buildEnv)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("could not run go %s in %s: %w\n%s", args[0], dir, err, stderr.String())
	}
	return strings.TrimSpace(stdout.String()), nil
}
