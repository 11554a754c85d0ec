// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package subcommand has what the subcommands share: how they find the cluster, and how they show help.
package subcommand

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// AddKubeconfigFlag adds the flag that names the cluster.
func AddKubeconfigFlag(flags *pflag.FlagSet, kubeconfig *string) {
	flags.StringVar(kubeconfig, "kubeconfig", "", "Kubeconfig of the cluster. Default: that of kubectl; in a pod, the pod's own.")
}

// Config finds the cluster as kubectl does, since people run the subcommands too. The timeout is that of each
// request; 0 means none.
func Config(kubeconfig string, timeout time.Duration) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	overrides := &clientcmd.ConfigOverrides{Timeout: timeout.String()}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("could not find a cluster to connect to, set --kubeconfig: %w", err)
	}
	return config, nil
}

// ShowOwnHelp keeps the help of a subcommand from being that of the root command, with its flags.
func ShowOwnHelp(cmd *cobra.Command) {
	own := &cobra.Command{}
	cmd.SetUsageFunc(own.UsageFunc())
	cmd.SetHelpFunc(own.HelpFunc())
}

// ExitError is an error that ends the command with an exit code of its own.
type ExitError struct {
	// Code is the exit code.
	Code int
	// Reason says what is wrong.
	Reason string
}

func (e *ExitError) Error() string { return e.Reason }
