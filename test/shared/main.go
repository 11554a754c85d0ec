// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Command shared runs a command, such as go test, beside a control plane with our
// server in it, which all test packages that the command starts use; see env.Main.
// However the command ends, the control plane ends after it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

func main() {
	if len(os.Args) < 2 {
		_, _ = fmt.Fprintln(os.Stderr, "Usage: shared COMMAND [ARGUMENT]...")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "FAILED:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, command []string) (err error) {
	e, err := env.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Stop()) }()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), env.DirVariable+"="+e.Cluster.Dir())
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("could not run %s: %w", command[0], err)
	}
	return nil
}
