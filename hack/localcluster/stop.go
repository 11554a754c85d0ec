// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
)

// Stop ends every process of the cluster, waits until all have ended, and removes the
// cluster's files. It keeps the logs, unless the directory is a temporary one. Stopping a
// stopped cluster does nothing.
func (c *Cluster) Stop(ctx context.Context) error {
	if _, err := os.Stat(c.options.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := c.locked(ctx, func(ctx context.Context) error {
		if err := c.stopProcesses(ctx); err != nil {
			return err // the state is kept, so that Stop can be called again
		}
		return errors.Join(c.saveRights(), c.layout.removeState(c.state))
	})
	if err == nil && c.options.temporary {
		err = os.RemoveAll(c.options.Dir)
	}
	if err != nil {
		return fmt.Errorf("could not stop cluster: %w", err)
	}
	return nil
}

// StopServer ends our server, if it runs, with all its replicas, and waits until it is gone.
func (c *Cluster) StopServer(ctx context.Context) error { return c.stopServersBut(ctx) }

// stopServersBut ends the processes of our server but those with these names.
func (c *Cluster) stopServersBut(ctx context.Context, names ...string) error {
	return c.locked(ctx, func(ctx context.Context) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		var others []string
		for name := range c.state.Processes {
			if strings.HasPrefix(name, binaries.MaintenanceAPIServer) && !slices.Contains(names, name) {
				others = append(others, name)
			}
		}
		return c.stopLocked(ctx, others...)
	})
}

// stopProcesses stops clients before the servers that they use.
func (c *Cluster) stopProcesses(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var clients []string
	for name := range c.state.Processes {
		if name != binaries.KubeAPIServer && name != binaries.Etcd {
			clients = append(clients, name)
		}
	}
	for _, group := range [][]string{clients, {binaries.KubeAPIServer}, {binaries.Etcd}} {
		if err := c.stopLocked(ctx, group...); err != nil {
			return err
		}
	}
	return nil
}

// stopLocked stops components at the same time.
func (c *Cluster) stopLocked(ctx context.Context, names ...string) error {
	var stops []func() error
	for _, name := range names {
		if proc := c.runningLocked(name); proc != nil {
			stops = append(stops, func() error { return stopProcess(ctx, name, proc) })
		}
	}
	return utilerrors.AggregateGoroutines(stops...)
}

func stopProcess(ctx context.Context, name string, proc *process.Process) error {
	if err := proc.Stop(ctx, stopGrace); err != nil {
		return fmt.Errorf("could not stop %s: %w", name, err)
	}
	return nil
}
