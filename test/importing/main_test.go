// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package importing imports objects of the node-maintenance operators on a real control plane, and checks
// that neither nodes nor pods notice. The control plane is its own, since it installs the operators' CRDs.
package importing

import (
	"bytes"
	"context"
	"os"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/importer"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func TestMain(m *testing.M) { os.Exit(env.MainWith(m, env.ServerOptions())) }

// runImport runs the import from one group as the admin, and returns what it writes.
func runImport(ctx context.Context, config *rest.Config, o importer.Options) (string, error) {
	var out bytes.Buffer
	err := importer.Import(ctx, config, o, &out)
	return out.String(), err
}

// confirmed runs the import, which must succeed.
func confirmed(t *testing.T, e *env.Env, group string) string {
	t.Helper()
	out, err := runImport(t.Context(), e.Cluster.Config(), importer.Options{Groups: []string{group}, Confirm: true})
	if err != nil {
		t.Fatalf("could not import: %v\n%s", err, out)
	}
	return out
}
