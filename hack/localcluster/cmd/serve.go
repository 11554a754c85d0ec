// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

func newServeCommand(dir *string) *cobra.Command {
	options := localcluster.ServerOptions{}
	command := &cobra.Command{
		Use:   "serve",
		Short: "Run our API server in the foreground, in place of the one that up started",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cluster, err := localcluster.Open(*dir, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			server, err := cluster.NewServer(cmd.Context(), options)
			if err != nil {
				return err
			}
			if err := cluster.StopServer(cmd.Context()); err != nil {
				return err
			}
			binary, args := server.Command()
			err = syscall.Exec(binary, append([]string{binary}, args...), os.Environ())
			return fmt.Errorf("could not run %s: %w", binary, err)
		},
	}
	addStoreFlag(command.Flags(), &options)
	addLegacyFlag(command, &options)
	return command
}

// addLegacyFlag adds a flag that up and serve have in common: without it, serve would end what up serves.
func addLegacyFlag(command *cobra.Command, options *localcluster.ServerOptions) {
	command.Flags().BoolVar(&options.Legacy, "legacy", false, "also serve the API groups of former operators")
}
