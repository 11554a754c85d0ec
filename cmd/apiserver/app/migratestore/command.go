// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package migratestore

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/subcommand"
)

const (
	// timeout is the timeout of each request to the cluster.
	timeout = 30 * time.Second
	// serverUser is the only one that may write into the store in the cluster.
	serverUser = "system:serviceaccount:maintenance-system:maintenance-apiserver"
)

const long = "Copy all that the server stores into another store: an embedded etcd, an etcd of your own, or the cluster.\n" +
	"The store's ID is copied too, so nodes in maintenance stay so. Stop the server before. The source is only read. If the\n" +
	"command is interrupted, run it again; no server starts on the target before. It exits with 0 when the target has\n" +
	"everything, and with 1 if not.\n\n" +
	"Only the server's ServiceAccount may write into the cluster's store: run the command as a Job with it, or give --as."

const example = "  # from the volume of one replica into the cluster; first show what would be done\n" +
	"  maintenance-apiserver migrate-store --from=embedded --from-data-dir=/data --to=cluster --dry-run \\\n" +
	"    --as=" + serverUser + "\n\n" +
	"  # from the cluster into an etcd\n" +
	"  maintenance-apiserver migrate-store --from=cluster --to=etcd --to-etcd-servers=https://etcd:2379 \\\n" +
	"    --to-etcd-cafile=ca.crt --to-etcd-certfile=client.crt --to-etcd-keyfile=client.key"

// NewCommand returns the command.
func NewCommand() *cobra.Command {
	o := NewOptions()
	var kubeconfig, as string
	cmd := &cobra.Command{
		Use:          "migrate-store --from=TYPE --to=TYPE",
		Short:        "Move everything into another store, while no server runs",
		Long:         long,
		Example:      example,
		Args:         cobra.NoArgs,
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.validate(); err != nil {
				return err
			}
			config, err := subcommand.Config(kubeconfig, timeout)
			if err != nil {
				return err
			}
			config.Impersonate.UserName = as
			return Migrate(cmd.Context(), config, o, cmd.OutOrStdout())
		},
	}
	o.addFlags(cmd.Flags())
	subcommand.AddKubeconfigFlag(cmd.Flags(), &kubeconfig)
	cmd.Flags().StringVar(&as, "as", "", "User to act as in the cluster, as with kubectl. Default: the user of the kubeconfig.")
	subcommand.ShowOwnHelp(cmd)
	return cmd
}
