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
	store    string
	options  localcluster.ServerOptions
}

func (s *serverFlags) add(f *pflag.FlagSet) {
	f.BoolVar(&s.wanted, "server", true, "start our API server and register it")
	f.IntVar(&s.replicas, "server-replicas", 1, "number of processes of our API server, behind a balancer if there are several")
	f.StringVar(&s.store, "store", "", "where our API server stores: embedded, or for several replicas etcd; the first that fits if empty")
}

// start starts what the flags say, and returns every process of our server.
func (s *serverFlags) start(ctx context.Context, cluster *localcluster.Cluster) ([]*localcluster.Server, error) {
	if !s.wanted {
		return nil, nil
	}
	store := localcluster.Store(s.store)
	if s.replicas == 1 && (store == "" || store == localcluster.StoreEmbedded) {
		server, err := cluster.StartServer(ctx, s.options)
		return []*localcluster.Server{server}, err
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("could not find the program of the balancer: %w", err)
	}
	replicas, err := cluster.StartReplicas(ctx, localcluster.ReplicasOptions{
		Server: s.options, Count: s.replicas, Store: store, BalancerCommand: []string{executable, balanceCommand},
	})
	if err != nil {
		return nil, err
	}
	return replicas.Servers, nil
}
