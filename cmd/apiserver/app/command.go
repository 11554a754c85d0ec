// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/term"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/buildversion"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/importer"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/migratestore"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/mustgather"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/noderole"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/options"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/profileimport"
	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/uninstall"
)

// NewCommand returns the command that runs the server until ctx ends.
func NewCommand(ctx context.Context) *cobra.Command {
	o := options.New()
	cmd := &cobra.Command{
		Use:   "maintenance-apiserver",
		Short: "Take Kubernetes nodes out of service and give them back",
		Long: "An aggregated Kubernetes API server. It serves NodeMaintenance objects, and cordons and drains\n" +
			"a node while one exists for it. In a cluster it needs no flags; elsewhere, give --kubeconfig.",
		Version:      buildversion.Get().String(),
		Args:         cobra.NoArgs,
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd.Context(), o)
		},
	}
	cmd.SetContext(ctx)
	cmd.AddCommand(noderole.NewCommand(), importer.NewCommand(), profileimport.NewCommand(), mustgather.NewCommand(), migratestore.NewCommand(),
		uninstall.NewCommand())

	var flagSets cliflag.NamedFlagSets
	o.AddFlags(&flagSets)
	flagSets.FlagSet("global").Bool("version", false, "Print the version and exit.")
	cmd.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	globalflag.AddGlobalFlags(flagSets.FlagSet("global"), cmd.Name(), logs.SkipLoggingConfigurationFlags())
	for _, flagSet := range flagSets.FlagSets {
		cmd.Flags().AddFlagSet(flagSet)
	}
	columns, _, _ := term.TerminalSize(cmd.OutOrStdout())
	cliflag.SetUsageAndHelpFunc(cmd, flagSets, columns)
	return cmd
}

func run(ctx context.Context, o *options.Options) error {
	if err := logsapi.ValidateAndApply(o.Logs, nil); err != nil {
		return err
	}
	klog.SetLogFilter(withoutBodies{})
	if err := o.Complete(); err != nil {
		return err
	}
	if err := utilerrors.NewAggregate(o.Validate()); err != nil {
		return err
	}
	return Run(klog.NewContext(ctx, klog.Background()), o)
}

// withoutBodies keeps what is sent to and read from kube-apiserver out of the log, which client-go prints from -v=8 on: it
// has Secrets and tokens.
type withoutBodies struct{}

var _ klog.LogFilter = withoutBodies{}

// Filter changes nothing.
func (withoutBodies) Filter(args []any) []any { return args }

// FilterF changes nothing.
func (withoutBodies) FilterF(format string, args []any) (string, []any) { return format, args }

// FilterS takes bodies out.
func (withoutBodies) FilterS(msg string, keysAndValues []any) (string, []any) {
	shown := slices.Clone(keysAndValues)
	for i := 0; i+1 < len(shown); i += 2 {
		if shown[i] == "body" {
			shown[i+1] = "(not shown)"
		}
	}
	return msg, shown
}
