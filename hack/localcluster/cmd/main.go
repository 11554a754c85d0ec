// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Command cmd starts and stops a local cluster for people. See the README of the parent
// directory.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := newCommand().ExecuteContext(ctx)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func newCommand() *cobra.Command {
	var dir string
	command := &cobra.Command{
		Use:           "localcluster",
		Short:         "A real Kubernetes control plane on loopback, with simulated nodes",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	command.PersistentFlags().StringVar(&dir, "dir", ".localcluster", "directory of the cluster; another directory is another cluster")
	command.AddCommand(
		newBuildCommand(),
		newUpCommand(&dir),
		newDownCommand(&dir),
		newServeCommand(&dir),
		newUserCommand(&dir),
		newServiceAccountCommand(&dir),
		newKubeletCommand(&dir),
		newBalanceCommand(),
	)
	return command
}
