// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/hack/localcluster/binaries"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

const (
	// DirVariable names the folder of a control plane that runs already, with our
	// server in it, which packages share; see Main.
	DirVariable = "TEST_CLUSTER_DIR"

	// serverBinaryVariable names the server under test; make sets it to one
	// that was built with the race detector.
	serverBinaryVariable = "SERVER_BINARY"

	// plainServerBinaryVariable names a server that was built without the race
	// detector, for tests that measure it.
	plainServerBinaryVariable = "PLAIN_SERVER_BINARY"

	// storeVariable names the store of the server under test, as its flag --store does.
	storeVariable = "TEST_STORE"

	// mutationDetector has the server end when it changes an object that a cache
	// shares. It costs much memory and time, so nothing but the server has it.
	mutationDetector = "KUBE_CACHE_MUTATION_DETECTOR=true"

	// startTimeout bounds the start of the control plane and of the server.
	startTimeout = 6 * time.Minute
	// stopTimeout bounds their end.
	stopTimeout = time.Minute
)

// ServerOptions says which server is tested: the one that SERVER_BINARY names,
// or the ordinary build. It stores where TEST_STORE says, as with its flag --store.
func ServerOptions() localcluster.ServerOptions {
	return localcluster.ServerOptions{
		Binary: os.Getenv(serverBinaryVariable), Store: os.Getenv(storeVariable), Env: []string{mutationDetector},
	}
}

// PlainServerBinary is the program of a server whose memory and speed tell
// something: the one that PLAIN_SERVER_BINARY names, or the ordinary build.
func (e *Env) PlainServerBinary() string {
	return cmp.Or(os.Getenv(plainServerBinaryVariable), filepath.Join(e.Cluster.BinDir(), binaries.MaintenanceAPIServer))
}

// Start starts a control plane with our server in it, for Stop to end. The kernel
// ends it with this process, however that ends.
func Start(ctx context.Context) (*Env, error) { return StartWith(ctx, ServerOptions()) }

// StartWith is Start with other options of our server than ServerOptions.
func StartWith(ctx context.Context, options localcluster.ServerOptions) (*Env, error) {
	cluster, err := localcluster.Start(ctx, localcluster.Options{Log: os.Stderr})
	if err != nil {
		return nil, fmt.Errorf("could not start the control plane: %w", err)
	}
	e, err := withServer(ctx, cluster, options)
	if err != nil {
		return nil, errors.Join(err, stop(cluster))
	}
	return e, nil
}

// attach returns a control plane that another process started.
func attach(ctx context.Context, dir string) (*Env, error) {
	cluster, err := localcluster.Open(dir, os.Stderr)
	if err != nil {
		return nil, fmt.Errorf("could not open the control plane: %w", err)
	}
	return withServer(ctx, cluster, ServerOptions())
}

// withServer starts our server unless it runs.
func withServer(ctx context.Context, cluster *localcluster.Cluster, options localcluster.ServerOptions) (*Env, error) {
	server, err := cluster.StartServer(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("could not start the server: %w", err)
	}
	e, err := newEnv(cluster)
	if err != nil {
		return nil, err
	}
	e.Server = server
	return e, nil
}

func newEnv(cluster *localcluster.Cluster) (*Env, error) {
	maintenance, err := versioned.NewForConfig(cluster.Config())
	if err != nil {
		return nil, fmt.Errorf("could not create a client: %w", err)
	}
	return &Env{Cluster: cluster, Kube: cluster.Client(), Maintenance: maintenance}, nil
}

// Stop ends the server and the control plane, and returns what was wrong with the
// server meanwhile.
func (e *Env) Stop() error {
	err := errors.Join(e.check(), stop(e.Cluster))
	if e.Replicas != nil {
		e.Replicas.Close()
	}
	return err
}

func stop(cluster *localcluster.Cluster) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	return cluster.Stop(ctx)
}

// check looks whether each server runs still, and for what the race detector wrote
// into its log.
func (e *Env) check() error {
	servers := []*localcluster.Server{e.Server}
	if e.Replicas != nil {
		servers = e.Replicas.Servers
	}
	var errs []error
	for _, server := range servers {
		errs = append(errs, check(server))
	}
	return errors.Join(errs...)
}

func check(server *localcluster.Server) error {
	log, err := os.ReadFile(server.LogPath())
	if err != nil {
		return fmt.Errorf("could not read the server's log: %w", err)
	}
	if at := bytes.Index(log, []byte("WARNING: DATA RACE")); at >= 0 {
		return fmt.Errorf("the server has a data race:\n%s", log[at:min(len(log), at+8000)])
	}
	if !server.Running() {
		return fmt.Errorf("the server ended by itself:\n%s", log[max(0, len(log)-8000):])
	}
	return nil
}
