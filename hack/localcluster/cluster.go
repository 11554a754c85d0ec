// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	apiregistrationclient "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/process"
)

// ErrNotRunning is returned by Open if no cluster was started in the directory.
var ErrNotRunning = errors.New("no cluster was started here")

// Cluster is a local control plane.
type Cluster struct {
	options Options
	layout  layout

	config  *rest.Config
	client  kubernetes.Interface
	dynamic dynamic.Interface
	kinds   kinds
	// apiServices is how APIs are registered with the aggregator.
	apiServices apiregistrationclient.APIServiceInterface

	// changing has a place for the one goroutine that changes the cluster.
	changing chan struct{}

	mu       sync.Mutex // guards what follows
	state    *state
	children map[string]*process.Process
}

// Start starts a cluster and waits until it is ready. It builds missing binaries first. If
// a cluster runs in the directory already, Start repairs it: it restarts components that do
// not run, or were started from another binary or configuration, and adds missing nodes. If
// Start fails, it stops the cluster, unless it is detached.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	c := newCluster(options)
	if err := c.start(ctx); err != nil {
		if !options.Detached {
			c.options.temporary = false // the logs tell why it failed
			err = errors.Join(err, c.Stop(context.WithoutCancel(ctx)))
		}
		return nil, err
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	if err := binaries.Ensure(ctx, c.options.root, c.options.BinDir, c.options.Log, true); err != nil {
		return err
	}
	if err := c.locked(ctx, c.startControlPlane); err != nil {
		return err
	}
	return c.ensureNodes(ctx)
}

// Open returns the cluster that another process started in a directory, or
// ErrNotRunning. It starts nothing.
func Open(dir string, log io.Writer) (*Cluster, error) {
	options, err := Options{Dir: dir, Detached: true, Log: log}.complete()
	if err != nil {
		return nil, err
	}
	c := newCluster(options)
	s, found, err := loadState(c.layout.state())
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("%w: %s", ErrNotRunning, options.Dir)
	}
	c.state = s
	if _, err := os.Stat(c.layout.kubeconfig()); errors.Is(err, fs.ErrNotExist) {
		return c, nil // interrupted before there was an API server; Stop works
	}
	return c, c.connect()
}

func newCluster(options Options) *Cluster {
	return &Cluster{
		options:  options,
		layout:   layout{dir: options.Dir},
		changing: make(chan struct{}, 1),
		children: map[string]*process.Process{},
	}
}

// locked runs f while no one else changes the cluster, after it has read the state that other
// processes have saved. It says so when it waits for another process.
func (c *Cluster) locked(ctx context.Context, f func(ctx context.Context) error) error {
	select {
	case c.changing <- struct{}{}:
		defer func() { <-c.changing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	unlock, err := process.Lock(ctx, c.layout.lock(), func() {
		_, _ = fmt.Fprintln(c.options.Log, "waiting for another command on this cluster to end")
	})
	if err != nil {
		return err
	}
	defer unlock()
	s, _, err := loadState(c.layout.state())
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.state = s
	c.mu.Unlock()
	return f(ctx)
}

func (c *Cluster) apiServerPort() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.APIServerPort
}

func (c *Cluster) serverPort() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.ServerPort
}

// replicaPort is the port of the replica of our server with a name.
func (c *Cluster) replicaPort(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.ReplicaPorts[name]
}

// setServerPort saves the port for later starts of our server.
func (c *Cluster) setServerPort(ctx context.Context, port int) error {
	if c.serverPort() == port {
		return nil
	}
	return c.locked(ctx, func(context.Context) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.state.ServerPort = port
		return c.state.save()
	})
}

// connect makes the admin's clients for the cluster.
func (c *Cluster) connect() error {
	config, err := loadConfig(c.layout.kubeconfig())
	if err != nil {
		return err
	}
	if c.client, err = kubernetes.NewForConfig(config); err != nil {
		return fmt.Errorf("could not make client: %w", err)
	}
	if c.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return fmt.Errorf("could not make client: %w", err)
	}
	aggregator, err := apiregistrationclient.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("could not make client: %w", err)
	}
	c.apiServices = aggregator.APIServices()
	c.config = config
	return nil
}

// Dir returns the cluster's directory.
func (c *Cluster) Dir() string { return c.options.Dir }

// Kubeconfig returns the path of the admin's kubeconfig.
func (c *Cluster) Kubeconfig() string { return c.layout.kubeconfig() }

// Config returns a copy of the admin's client configuration, without a rate limit.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.config) }

// Client returns the admin's client.
func (c *Cluster) Client() kubernetes.Interface { return c.client }

// Dynamic returns the admin's client for any resource.
func (c *Cluster) Dynamic() dynamic.Interface { return c.dynamic }

// LogPath returns the path of the log of a component, by the name of its binary.
func (c *Cluster) LogPath(name string) string { return c.layout.log(name) }

// LogDir returns the directory of all logs.
func (c *Cluster) LogDir() string { return c.layout.logs() }

// Environ is the environment of this process for kubectl and Helm. They keep what they find out about a cluster by
// its address, which an earlier cluster may have had, so each cluster has a cache of its own.
func (c *Cluster) Environ() []string {
	return append(os.Environ(), "KUBECACHEDIR="+c.layout.data("kubectl"))
}

// BinDir returns the directory of the binaries.
func (c *Cluster) BinDir() string { return c.options.BinDir }
