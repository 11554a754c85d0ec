// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package migrating follows docs/migrating.md: a cluster goes over from the node-maintenance operator to
// our server, and back.
package migrating

import (
	"os"
	"testing"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) { os.Exit(env.MainWith(m, serverOptions())) }

// serverOptions has Helm install the server, since the document goes on with Helm's commands.
func serverOptions() localcluster.ServerOptions {
	options := env.ServerOptions()
	options.Installed = true
	return options
}
