// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package profileimport is the command that translates the configuration of the SAP maintenance-controller into
// MaintenanceProfiles, and applies them if it is asked to.
package profileimport

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/subcommand"
)

// timeout is the timeout of each request.
const timeout = 30 * time.Second

const long = "Translate the configuration of the SAP maintenance-controller into MaintenanceProfiles, MaintenanceEndpoints and\n" +
	"Secrets. The manifests go to stdout; they have the credentials of the configuration. A report of every key goes to\n" +
	"stderr: whether it was taken over, changed, dropped, or cannot be mapped. The exit code is 2 if something cannot be\n" +
	"mapped. Nothing is changed in the cluster, unless --apply is given."

const example = "  maintenance-apiserver import-profiles --config maintenance.yaml > profiles.yaml  # look at both\n" +
	"  maintenance-apiserver import-profiles --config maintenance.yaml --env-file env --secret-namespace=maintenance-system --apply"

// Options say what is translated.
type Options struct {
	// Config, ESX and Kubernikus are the paths of the files, EnvFile that of the variables, and CloudProvider that of the
	// credentials for OpenStack. All but Config may be empty.
	Config, ESX, Kubernikus, EnvFile, CloudProvider string
	// SecretNamespace is the namespace of the Secrets. Empty: there must be none.
	SecretNamespace string
	// AllowForce takes forceEviction over.
	AllowForce bool
	// Apply creates or changes the objects in the cluster, unless something cannot be mapped.
	Apply bool
	// Kubeconfig names the cluster; empty: as kubectl finds it.
	Kubeconfig string
}

// NewCommand returns the command.
func NewCommand() *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:          "import-profiles",
		Short:        "Take over the configuration of the SAP maintenance-controller",
		Long:         long,
		Example:      example,
		Args:         cobra.NoArgs,
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.addFlags(cmd.Flags())
	_ = cmd.MarkFlagRequired("config") // it is there
	subcommand.ShowOwnHelp(cmd)
	return cmd
}

func (o *Options) addFlags(fs *pflag.FlagSet) {
	subcommand.AddKubeconfigFlag(fs, &o.Kubeconfig)
	fs.StringVar(&o.Config, "config", "", "The main configuration, maintenance.yaml. Required.")
	fs.StringVar(&o.EnvFile, "env-file", "", "File with the variables of the configuration, in lines such as NAME=value. Default: the environment of this command.")
	fs.StringVar(&o.ESX, "esx", "", "The configuration of the ESX integration, esx.yaml. Default: none.")
	fs.StringVar(&o.Kubernikus, "kubernikus", "", "The configuration of the Kubernikus integration, kubernikus.yaml. Default: none.")
	fs.StringVar(&o.CloudProvider, "cloud-provider-conf", "", "The file cloudprovider.conf with the region and the credentials for OpenStack, for checks of the type kubernikusCount. Default: none.")
	fs.StringVar(&o.SecretNamespace, "secret-namespace", "", "Namespace of the Secrets: that of the server's flag of the same name. Required if the configuration has credentials. Default: none, as with the server.")
	fs.BoolVar(&o.AllowForce, "allow-force", false, "Take forceEviction over: after evictionTimeout, delete pods regardless of their disruption budgets. Default: report them.")
	fs.BoolVar(&o.Apply, "apply", false, "Create or change the objects in the cluster, with your rights. Nothing is applied if something cannot be mapped.")
}
