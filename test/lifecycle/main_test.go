// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lifecycle starts, stops and kills the server at bad moments, and checks
// that nothing is lost and nothing is done twice. Its tests share one server, so
// they run one after another.
package lifecycle

import (
	"cmp"
	"context"
	"os"
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// promised is how long the server may take to stop, and to find out that it
// cannot start.
const promised = 10 * time.Second

func TestMain(m *testing.M) { os.Exit(env.MainAlone(m)) }

// kill ends the server as a power cut would.
func kill(t *testing.T) {
	t.Helper()
	if err := env.Current(t).Server.Kill(); err != nil {
		t.Fatalf("could not kill the server: %v", err)
	}
}

// start starts the server again and waits until it serves.
func start(t *testing.T) {
	t.Helper()
	began := time.Now()
	if err := env.Current(t).Server.Start(t.Context()); err != nil {
		t.Fatalf("could not start the server: %v", err)
	}
	t.Logf("the server served through the aggregator %s after its start", time.Since(began).Round(time.Millisecond))
}

// terminate ends the server as its supervisor does, and checks that it keeps its
// promise.
func terminate(t *testing.T) {
	t.Helper()
	exit, err := env.Current(t).Server.Terminate(t.Context())
	if err != nil {
		t.Fatalf("could not stop the server: %v", err)
	}
	t.Logf("the server stopped %s after SIGTERM", exit.Duration.Round(time.Millisecond))
	if exit.Code != 0 {
		t.Errorf("the server ended with exit code %d after SIGTERM, want 0", exit.Code)
	}
	if exit.Duration > promised {
		t.Errorf("the server took %s to stop, want %s at most", exit.Duration, promised)
	}
}

// keepServer has the test's end start the server again, however the test left it.
func keepServer(t *testing.T) {
	t.Helper()
	server := env.Current(t).Server
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), env.Timeout)
		defer cancel()
		if err := server.Start(ctx); err != nil {
			t.Errorf("could not start the server again: %v", err)
		}
	})
}

// replaceServer runs another server in the place of the usual one, on its port,
// until the test's end. Unless the options name another, it has the same program.
func replaceServer(t *testing.T, options localcluster.ServerOptions) *localcluster.Server {
	t.Helper()
	keepServer(t)
	options.Binary = cmp.Or(options.Binary, env.ServerOptions().Binary)
	server, err := env.Current(t).Cluster.StartServer(t.Context(), options)
	if err != nil {
		t.Fatalf("could not start another server: %v", err)
	}
	return server
}
