// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
)

const (
	// readyInterval is the interval of checks whether something is ready.
	readyInterval = 100 * time.Millisecond
	// readyTimeout is how long to wait for a part of the control plane, even on a slow and
	// busy machine.
	readyTimeout = 2 * time.Minute
)

// startControlPlane starts the components that do not run, and waits until they serve.
func (c *Cluster) startControlPlane(ctx context.Context) error {
	if err := c.prepareFiles(); err != nil {
		return err
	}
	if err := c.step(binaries.Etcd, func() (string, error) { return c.ensureComponent(ctx, c.etcd()) }); err != nil {
		return err
	}
	if err := c.step(binaries.KubeAPIServer, func() (string, error) { return c.ensureAPIServer(ctx) }); err != nil {
		return err
	}
	for _, p := range []component{c.kubeControllerManager(), c.kubeScheduler(), c.kwok()} {
		if err := c.step(p.name, func() (string, error) { return c.ensureComponent(ctx, p) }); err != nil {
			return err
		}
	}
	return nil
}

// prepareFiles makes all files in the cluster's directory that must exist before the first
// process starts.
func (c *Cluster) prepareFiles() error {
	if c.state.SocketDir == "" { // the first thing that a cluster records
		if err := c.prepareDirectories(); err != nil {
			return err
		}
	}
	if err := c.ensureCertificates(); err != nil {
		return err
	}
	return c.writeConfigs()
}

// prepareDirectories removes what an older cluster left, and makes the new one's directories.
func (c *Cluster) prepareDirectories() error {
	if err := errors.Join(c.layout.removeState(c.state), c.layout.removeLogs()); err != nil {
		return err
	}
	if err := c.layout.makeDirectories(); err != nil {
		return err
	}
	dir, err := c.layout.makeSocketDir()
	if err != nil {
		return err
	}
	c.state.SocketDir = dir
	return c.state.save()
}

// ensureComponent starts a component if it does not run. It does not wait until the
// component works.
func (c *Cluster) ensureComponent(ctx context.Context, p component) (string, error) {
	proc, started, err := c.ensure(ctx, p)
	if err != nil {
		return "", err
	}
	return describe(proc, started), nil
}

func describe(proc *process.Process, started bool) string {
	if started {
		return fmt.Sprintf("started, pid %d", proc.PID)
	}
	return fmt.Sprintf("runs, pid %d", proc.PID)
}

// ensureAPIServer finds a port for kube-apiserver the first time, and keeps it
// afterwards, since every kubeconfig names it.
func (c *Cluster) ensureAPIServer(ctx context.Context) (what string, err error) {
	start := func(ctx context.Context) error {
		if err := c.connect(); err != nil {
			return err
		}
		proc, started, err := c.ensure(ctx, c.kubeAPIServer())
		if err != nil {
			return err
		}
		what = describe(proc, started)
		return c.waitServing(ctx)
	}
	if c.state.APIServerPort != 0 {
		err = start(ctx)
		return what, err
	}
	err = process.WithFreePort(ctx, func(ctx context.Context, port int) error {
		c.state.APIServerPort = port
		if err := errors.Join(c.writeKubeconfigs(), c.state.save()); err != nil {
			return err
		}
		return start(ctx)
	})
	return what, err
}

// waitServing waits until kube-apiserver answers that it is ready.
func (c *Cluster) waitServing(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, readyInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		for _, name := range []string{binaries.Etcd, binaries.KubeAPIServer} {
			if !c.runs(name) {
				return false, c.failure(name)
			}
		}
		last = c.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
		return last == nil, nil
	})
	if wait.Interrupted(err) {
		return fmt.Errorf("kube-apiserver did not become ready, see %s: %w", c.layout.log(binaries.KubeAPIServer), errors.Join(err, last))
	}
	return err
}

// dropNodeLeases deletes the nodes' leases of an earlier kwok. Otherwise the new kwok would
// wait until they expire before it manages the nodes.
func (c *Cluster) dropNodeLeases(ctx context.Context) error {
	leases := c.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	if err := leases.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("could not drop the nodes' leases: %w", err)
	}
	return nil
}

// step runs one step, and reports how long it took.
func (c *Cluster) step(name string, do func() (what string, err error)) error {
	start := time.Now()
	what, err := do()
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(c.options.Log, "%-24s %-40s %5.1f s\n", name, what, time.Since(start).Seconds())
	return nil
}
