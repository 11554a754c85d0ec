// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package env gives a package of integration tests its control plane, with our
// server in it, and the few things that every such test does: take nodes of its
// own, call kubectl, wait for a condition.
package env

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned"
)

const (
	// startTimeout bounds the start of the control plane and of the server.
	startTimeout = 3 * time.Minute
	// stopTimeout bounds their end.
	stopTimeout = time.Minute

	// serverBinaryVariable names the server under test; make sets it to one
	// that was built with the race detector.
	serverBinaryVariable = "SERVER_BINARY"
)

// Env is a control plane with our server registered and running.
type Env struct {
	// Cluster is the control plane.
	Cluster *localcluster.Cluster
	// Server is our server.
	Server *localcluster.Server
	// Kube is the admin's client for everything but our API.
	Kube kubernetes.Interface
	// Maintenance is the admin's client for our API, through the aggregator.
	Maintenance versioned.Interface
}

var current *Env

// Main runs a package's tests against one control plane and returns the exit
// code. TestMain calls it.
func Main(m *testing.M) int {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAILED:", err)
		return 1
	}
	return code
}

func run(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	cluster, err := localcluster.Start(ctx, localcluster.Options{Log: os.Stderr})
	if err != nil {
		return 1, fmt.Errorf("could not start the control plane: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		err = errors.Join(err, cluster.Stop(ctx))
	}()

	if err := cluster.ApplyArtifacts(ctx); err != nil {
		return 1, fmt.Errorf("could not apply the artifacts: %w", err)
	}
	server, err := cluster.StartServer(ctx, ServerOptions())
	if err != nil {
		return 1, fmt.Errorf("could not start the server: %w", err)
	}
	if current, err = newEnv(cluster, server); err != nil {
		return 1, err
	}
	code = m.Run()
	return code, checkForRaces(server.LogPath())
}

// ServerOptions says which server is tested: the one that SERVER_BINARY names,
// or the ordinary build.
func ServerOptions() localcluster.ServerOptions {
	return localcluster.ServerOptions{Binary: os.Getenv(serverBinaryVariable)}
}

func newEnv(cluster *localcluster.Cluster, server *localcluster.Server) (*Env, error) {
	maintenance, err := versioned.NewForConfig(cluster.Config())
	if err != nil {
		return nil, fmt.Errorf("could not create a client: %w", err)
	}
	return &Env{Cluster: cluster, Server: server, Kube: cluster.Client(), Maintenance: maintenance}, nil
}

// checkForRaces looks for what the race detector wrote into the server's log.
func checkForRaces(path string) error {
	log, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("could not read the server's log: %w", err)
	}
	if at := bytes.Index(log, []byte("WARNING: DATA RACE")); at >= 0 {
		return fmt.Errorf("the server has a data race:\n%s", log[at:min(len(log), at+8000)])
	}
	return nil
}

// Current returns the control plane that Main started.
func Current(t *testing.T) *Env {
	t.Helper()
	if current == nil {
		t.Fatal("no control plane: the package's TestMain must call env.Main")
	}
	return current
}

// MaintenanceAs returns a client for our API, through the aggregator, for any
// user. What the user may do is up to RBAC.
func (e *Env) MaintenanceAs(t *testing.T, user string, groups ...string) versioned.Interface {
	t.Helper()
	config, err := e.Cluster.UserConfig(user, groups...)
	if err != nil {
		t.Fatalf("could not make a client certificate for %s: %v", user, err)
	}
	return mustClient(t, config)
}

func mustClient(t *testing.T, config *rest.Config) versioned.Interface {
	t.Helper()
	client, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatalf("could not create a client: %v", err)
	}
	return client
}
