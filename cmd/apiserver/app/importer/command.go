// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/subcommand"
)

// timeout is the timeout of each request.
const timeout = 30 * time.Second

const long = "Import the NodeMaintenances of the node-maintenance operators (medik8s and KubeVirt) that are custom resources.\n" +
	"The command says what it would do and changes nothing, unless --confirm is given. Run it while this server is\n" +
	"installed and the operator is scaled to 0. Nodes and pods stay as they are. It may be run again at any time."

const example = "  maintenance-apiserver import            # show what would be done\n" +
	"  maintenance-apiserver import --confirm  # do it"

// NewCommand returns the command.
func NewCommand() *cobra.Command {
	var o Options
	var kubeconfig string
	cmd := &cobra.Command{
		Use:          "import",
		Short:        "Take over the maintenances of the node-maintenance operators",
		Long:         long,
		Example:      example,
		Args:         cobra.NoArgs,
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := subcommand.Config(kubeconfig, timeout)
			if err != nil {
				return err
			}
			config.WarningHandler = rest.NewWarningWriter(cmd.ErrOrStderr(), rest.WarningWriterOptions{})
			return Import(cmd.Context(), config, o, cmd.OutOrStdout())
		},
	}
	subcommand.AddKubeconfigFlag(cmd.Flags(), &kubeconfig)
	cmd.Flags().StringSliceVar(&o.Groups, "group", nil, "API groups to import from: nodemaintenance.medik8s.io, "+
		"nodemaintenance.kubevirt.io, kubevirt.io. Default: all whose CRD is installed.")
	cmd.Flags().BoolVar(&o.Confirm, "confirm", false, "Import. Without it, nothing is changed.")
	cmd.Flags().BoolVar(&o.OperatorMayRun, "operator-may-run", false,
		"Import although an operator seems to run. It may then drain or uncordon nodes at the same time.")
	subcommand.ShowOwnHelp(cmd)
	return cmd
}
