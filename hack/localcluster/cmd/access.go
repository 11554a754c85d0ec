// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

func newUserCommand(dir *string) *cobra.Command {
	var groups []string
	command := &cobra.Command{
		Use:   "user NAME",
		Short: "Write a kubeconfig for any user and print its path",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cluster, err := localcluster.Open(*dir, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			path, err := cluster.UserKubeconfig(args[0], groups...)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
	command.Flags().StringSliceVar(&groups, "group", nil, "group that the user is in; may be given several times")
	return command
}

func newServiceAccountCommand(dir *string) *cobra.Command {
	return &cobra.Command{
		Use:   "serviceaccount NAMESPACE NAME",
		Short: "Write a kubeconfig for a ServiceAccount and print its path",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			cluster, err := localcluster.Open(*dir, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			path, err := cluster.ServiceAccountKubeconfig(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
}

func newKubeletCommand(dir *string) *cobra.Command {
	return &cobra.Command{
		Use:       "kubelet start|stop NODE",
		Short:     "Start or stop the simulated kubelet of a node",
		Args:      cobra.ExactArgs(2),
		ValidArgs: []string{"start", "stop"},
		RunE: func(cmd *cobra.Command, args []string) error {
			cluster, err := localcluster.Open(*dir, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			switch args[0] {
			case "start":
				return cluster.StartKubelet(cmd.Context(), args[1])
			case "stop":
				return cluster.StopKubelet(cmd.Context(), args[1])
			default:
				return fmt.Errorf("kubelets can start or stop, not %q", args[0])
			}
		},
	}
}
