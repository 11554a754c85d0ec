// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/balance"
)

// balanceCommand is the name of the command that up runs in a process of its own.
const balanceCommand = "balance"

func newBalanceCommand() *cobra.Command {
	return &cobra.Command{
		Use:    balanceCommand + " ADDRESS REPLICA...",
		Short:  "Forward connections to replicas of our server that are ready",
		Hidden: true,
		Args:   cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			balancer, err := balance.Start(args[0], args[1:]...)
			if err != nil {
				return err
			}
			defer balancer.Close()
			<-cmd.Context().Done()
			return nil
		},
	}
}
