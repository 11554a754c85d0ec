// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package uninstall says whether the server can be uninstalled, and gives the nodes back before that. A node that is
// in maintenance would stay cordoned for good, and a group without a server keeps namespaces from being deleted.
package uninstall

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	apiregistration "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/subcommand"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

const (
	// requestTimeout is the timeout of each request.
	requestTimeout = 30 * time.Second
	// defaultTimeout bounds the wait for the nodes, and is less than Helm waits for a hook.
	defaultTimeout = 4 * time.Minute
	// answerTimeout is how long the server may be away, since it may just be restarting.
	answerTimeout = 30 * time.Second
)

const long = "Say whether the server can be uninstalled: it must have no node in maintenance. With --give-back, the command deletes\n" +
	"all NodeMaintenances, and waits until their nodes are given back. The chart runs it before it is uninstalled."

// NewCommand returns the command.
func NewCommand() *cobra.Command {
	var kubeconfig, service string
	c := &checker{answerTimeout: answerTimeout, interval: time.Second}
	cmd := &cobra.Command{
		Use:          "prepare-uninstall",
		Short:        "Say whether the server can be uninstalled, or give its nodes back first",
		Long:         long,
		Args:         cobra.NoArgs,
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := subcommand.Config(kubeconfig, requestTimeout)
			if err != nil {
				return err
			}
			if err := c.connect(config); err != nil {
				return err
			}
			c.service.Namespace, c.service.Name, _ = strings.Cut(service, "/")
			c.out = cmd.OutOrStdout()
			return c.run(cmd.Context())
		},
	}
	subcommand.AddKubeconfigFlag(cmd.Flags(), &kubeconfig)
	cmd.Flags().StringVar(&service, "service", "maintenance-system/maintenance-apiserver", "Service of the server, as namespace/name.")
	cmd.Flags().StringVar(&c.release, "release", "maintenance-apiserver", "Helm release of the server, in the namespace of its Service.")
	cmd.Flags().BoolVar(&c.giveBack, "give-back", false, "Delete all NodeMaintenances, and wait until their nodes are given back.")
	cmd.Flags().DurationVar(&c.timeout, "timeout", defaultTimeout, "How long to wait for the nodes.")
	subcommand.ShowOwnHelp(cmd)
	return cmd
}

// connect makes the clients.
func (c *checker) connect(config *rest.Config) error {
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("could not create a client for the cluster: %w", err)
	}
	maintenance, err := versioned.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("could not create a client for NodeMaintenances: %w", err)
	}
	aggregator, err := apiregistration.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("could not create a client for APIServices: %w", err)
	}
	c.nodes, c.apiServices = kube.CoreV1().Nodes(), aggregator.ApiregistrationV1().APIServices()
	c.holds = maintenance.MaintenanceV1beta1().NodeMaintenances()
	return nil
}
