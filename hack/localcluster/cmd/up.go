// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

type upFlags struct {
	cluster localcluster.Options
	load    localcluster.Load
	demo    bool
	server  serverFlags
}

func newUpCommand(dir *string) *cobra.Command {
	flags := &upFlags{cluster: localcluster.Options{Detached: true}}
	command := &cobra.Command{
		Use:   "up",
		Short: "Start the cluster, or repair the one that runs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags.cluster.Dir, flags.cluster.Log = *dir, cmd.OutOrStdout()
			return up(cmd.Context(), flags)
		},
	}
	f := command.Flags()
	f.IntVar(&flags.cluster.Nodes, "nodes", 5, "number of nodes at least")
	f.IntVar(&flags.cluster.Zones, "zones", 3, "number of zones that nodes are spread over")
	f.DurationVar(&flags.cluster.ReadyDelay, "ready-delay", localcluster.DefaultReadyDelay, "time until a pod on a node is Ready")
	f.DurationVar(&flags.cluster.TerminationDelay, "termination-delay", localcluster.DefaultTerminationDelay, "time until a deleted pod is gone, at most its grace period")
	flags.server.add(f)
	addLegacyFlag(command, &flags.server.options)
	f.BoolVar(&flags.demo, "demo", true, "apply a small workload of every kind to namespace demo")
	f.IntVar(&flags.load.Deployments, "deployments", 0, "number of Deployments in namespace load")
	f.IntVar(&flags.load.StatefulSets, "statefulsets", 0, "number of StatefulSets in namespace load")
	f.IntVar(&flags.load.DaemonSets, "daemonsets", 0, "number of DaemonSets in namespace load")
	f.IntVar(&flags.load.Jobs, "jobs", 0, "number of Jobs in namespace load")
	f.IntVar(&flags.load.Pods, "pods", 0, "number of bare pods in namespace load")
	f.IntVar(&flags.load.MirrorPods, "mirror-pods", 0, "number of mirror pods on each node in namespace load")
	f.IntVar(&flags.load.Replicas, "replicas", 3, "pods of each Deployment, StatefulSet and Job")
	f.StringVar(&flags.load.MaxUnavailable, "max-unavailable", "", "disruption budget of each Deployment and StatefulSet, a number or percentage; none if empty")
	return command
}

func up(ctx context.Context, flags *upFlags) error {
	start := time.Now()
	cluster, err := localcluster.Start(ctx, flags.cluster)
	if err != nil {
		return err
	}
	servers, err := flags.server.start(ctx, cluster)
	if err != nil {
		return err
	}
	var workloads []*localcluster.Workload
	if flags.demo {
		workloads = append(workloads, cluster.Demo(flags.cluster.Nodes))
	}
	if !flags.load.Empty() {
		workloads = append(workloads, cluster.Load(flags.cluster.Nodes, flags.load))
	}
	if err := cluster.Run(ctx, workloads...); err != nil {
		return err
	}
	if err := printHelp(flags.cluster.Log, cluster, time.Since(start)); err != nil {
		return err
	}
	for _, server := range servers {
		if err := printServerHelp(flags.cluster.Log, server); err != nil {
			return err
		}
	}
	return nil
}

func printHelp(out io.Writer, cluster *localcluster.Cluster, took time.Duration) error {
	_, err := fmt.Fprintf(out, `
The cluster is up (%.1f s). Go on with:
  export KUBECONFIG=%s
  export PATH=%s:$PATH
  kubectl get nodes
`, took.Seconds(), cluster.Kubeconfig(), filepath.Clean(cluster.BinDir()))
	return err
}

// printServerHelp says where our server's metrics and audit log are.
func printServerHelp(out io.Writer, server *localcluster.Server) error {
	_, err := fmt.Fprintf(out, `
The metrics of %s:
  %s
Its audit log (who started and ended maintenance):
  %s
`, server.Name(), server.MetricsCommand(), server.AuditLogPath())
	return err
}
