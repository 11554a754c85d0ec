// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package noderole

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/subcommand"
)

const (
	fieldManager = "node-role"
	// timeout is the timeout of each request.
	timeout = 30 * time.Second
)

const long = "Write the ClusterRole NAME, which lets users start and end maintenance of the nodes that a label selects.\n" +
	"The command prints the ClusterRole, for kubectl apply -f -. With --apply, it applies the ClusterRole itself.\n" +
	"Run it again when the labels of nodes change, for example by a CronJob. Otherwise the result is the same."

const example = "  maintenance-apiserver node-role maintenance-of-payments --selector team=payments | kubectl apply --server-side -f -"

// options are the command's flags.
type options struct {
	kubeconfig string
	selector   string
	apply      bool
}

// NewCommand returns the command.
func NewCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:          "node-role NAME --selector LABELS",
		Short:        "Write the ClusterRole of a team that has its own nodes",
		Long:         long,
		Example:      example,
		Args:         cobra.ExactArgs(1),
		SilenceUsage: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := subcommand.Config(o.kubeconfig, timeout)
			if err != nil {
				return err
			}
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				return fmt.Errorf("could not create a client for the cluster: %w", err)
			}
			return o.run(cmd.Context(), client, args[0], cmd.OutOrStdout())
		},
	}
	subcommand.AddKubeconfigFlag(cmd.Flags(), &o.kubeconfig)
	cmd.Flags().StringVarP(&o.selector, "selector", "l", "", "Labels of the team's nodes, as in team=payments. Required.")
	cmd.Flags().BoolVar(&o.apply, "apply", false, "Apply the ClusterRole instead of printing it.")
	subcommand.ShowOwnHelp(cmd)
	return cmd
}

func (o options) run(ctx context.Context, client kubernetes.Interface, name string, out io.Writer) error {
	selector, err := labels.Parse(o.selector)
	if err != nil {
		return fmt.Errorf("--selector %q is not a label selector: %w", o.selector, err)
	}
	if selector.Empty() {
		return errors.New("--selector must name labels of the team's nodes: without it the role would be for every node")
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: o.selector})
	if err != nil {
		return fmt.Errorf("could not list nodes: %w", err)
	}
	names := make([]string, 0, len(nodes.Items))
	for i := range nodes.Items {
		names = append(names, nodes.Items[i].Name)
	}
	role := clusterRole(name, o.selector, names)
	if o.apply {
		applied, err := client.RbacV1().ClusterRoles().Apply(ctx, role, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
		if err != nil {
			return fmt.Errorf("could not apply ClusterRole %s: %w", name, err)
		}
		_, err = fmt.Fprintf(out, "clusterrole %s is for %s\n", applied.Name, english.Plural(len(names), "node", ""))
		return err
	}
	encoded, err := yaml.Marshal(role)
	if err != nil {
		return fmt.Errorf("could not write ClusterRole %s: %w", name, err)
	}
	_, err = out.Write(encoded)
	return err
}
