// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

func newDownCommand(dir *string) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "End everything that up started, and remove the cluster but for its logs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cluster, err := localcluster.Open(*dir, cmd.OutOrStdout())
			if errors.Is(err, localcluster.ErrNotRunning) {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), "The cluster is down.")
				return err
			}
			if err != nil {
				return err
			}
			if err := cluster.Stop(cmd.Context()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "The cluster is down; its logs are in %s.\n", cluster.LogDir())
			return err
		},
	}
}
