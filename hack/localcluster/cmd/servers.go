// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// serverFlags say which processes of our server up starts.
type serverFlags struct {
	wanted   bool
	replicas int
	options  localcluster.ServerOptions
}

func (s *serverFlags) add(f *pflag.FlagSet) {
	f.BoolVar(&s.wanted, "server", true, "start our API server and register it")
	f.IntVar(&s.replicas, "server-replicas", 1, "number of processes of our API server, behind a balancer if there are several")
	addStoreFlag(f, &s.options)
}

func addStoreFlag(f *pflag.FlagSet, options *localcluster.ServerOptions) {
	f.StringVar(&options.Store, "store", "", "where our API server stores: embedded, etcd (the control plane's) or cluster (default embedded, for several replicas cluster)")
}

// start starts what the flags say, and returns every process of our server.
func (s *serverFlags) start(ctx context.Context, cluster *localcluster.Cluster) ([]*localcluster.Server, error) {
	if !s.wanted {
		return nil, nil
	}
	if s.replicas == 1 {
		server, err := cluster.StartServer(ctx, s.options)
		return []*localcluster.Server{server}, err
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("could not find the program of the balancer: %w", err)
	}
	replicas, err := cluster.StartReplicas(ctx, localcluster.ReplicasOptions{
		Server: s.options, Count: s.replicas, BalancerCommand: []string{executable, balanceCommand},
	})
	if err != nil {
		return nil, err
	}
	return replicas.Servers, nil
}
