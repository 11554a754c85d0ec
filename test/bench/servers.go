// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
)

// startServers starts our server, or as many replicas behind a balancer as -replicas says.
func (b *bench) startServers(ctx context.Context) (err error) {
	options := localcluster.ServerOptions{Binary: b.options.server, Store: b.options.store}
	if b.options.replicas == 1 {
		b.server, err = b.cluster.StartServer(ctx, options)
		b.servers = []*localcluster.Server{b.server}
	} else if b.replicas, err = b.cluster.StartReplicas(ctx, localcluster.ReplicasOptions{Server: options, Count: b.options.replicas}); err == nil {
		b.servers = b.replicas.Servers
		b.server = b.servers[0]
	}
	if err != nil {
		return fmt.Errorf("could not start the server: %w", err)
	}
	return nil
}

// resetPeakMemory makes the kernel forget the servers' peaks so far.
func (b *bench) resetPeakMemory() error {
	for _, s := range b.servers {
		if err := resetPeakMemory(s.PID()); err != nil {
			return err
		}
	}
	return nil
}

// peakMemory is that of the server that has needed the most since then, in MiB.
func (b *bench) peakMemory() (most float64, err error) {
	for _, s := range b.servers {
		memory, err := peakMemory(s.PID())
		if err != nil {
			return 0, err
		}
		most = max(most, memory)
	}
	return most, nil
}
