// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package versions has the server go on with objects that an earlier or a later version of it has stored: an
// upgrade and a rollback. Its tests share one server, so they run one after another.
package versions

import (
	"context"
	"os"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) { os.Exit(env.MainWith(m, serverOptions())) }

// serverOptions have the server serve the groups of former operators too, since objects are also written through
// them.
func serverOptions() localcluster.ServerOptions {
	options := env.ServerOptions()
	options.Legacy = true
	return options
}

// replaceServer returns a server that runs, from its next start until the test's end, in the place of the usual one,
// with a store of the test's own.
func replaceServer(t *testing.T, s *store) *localcluster.Server {
	t.Helper()
	current := env.Current(t)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), env.Timeout)
		defer cancel()
		if err := current.Server.Start(ctx); err != nil {
			t.Errorf("could not start the server again: %v", err)
		}
	})
	options := serverOptions()
	options.ExtraArgs = []string{"--etcd-servers=" + s.url}
	server, err := current.Cluster.NewServer(t.Context(), options)
	if err != nil {
		t.Fatalf("could not replace the server: %v", err)
	}
	return server
}

func start(t *testing.T, server *localcluster.Server) {
	t.Helper()
	if err := server.Start(t.Context()); err != nil {
		t.Fatalf("could not start the server: %v", err)
	}
}
