// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// The commands of docs/metrics.md and of the local cluster's `up` show our server's metrics.
func TestMetricsCommands(t *testing.T) {
	t.Parallel()
	e := env.Current(t)
	for name, command := range map[string]string{
		"up":              e.Server.MetricsCommand(),
		"docs/metrics.md": metricsCommandsOfDocument(t, e),
	} {
		t.Run(name, func(t *testing.T) {
			pool := &env.Pool{Env: e}
			if lack := lacks(run(t, pool, "set -o pipefail; "+command), "maintenance_drainer_nodes_draining "); lack != "" {
				t.Error(lack)
			}
		})
	}
}

// metricsCommandsOfDocument returns the commands as a script. The server of the test listens on
// loopback already, so nothing forwards a port to it.
func metricsCommandsOfDocument(t *testing.T, e *env.Env) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(content), "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	forward, commands, _ := strings.Cut(block, "\n")
	if !strings.Contains(forward, "port-forward deploy/maintenance-apiserver 10250 &") {
		t.Fatalf("the first command forwards no port: %q", forward)
	}
	local := strings.NewReplacer("127.0.0.1:10250", fmt.Sprintf("127.0.0.1:%d", e.Server.Port()), "ca.crt", filepath.Join(t.TempDir(), "ca.crt"))
	return local.Replace(commands)
}

// The local cluster's server writes the audit log of the policy that ships.
func TestLocalClusterHasAnAuditLog(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	hold := createQuiet(t, pool, "audited")
	env.Eventually(t, "the create in the audit log", func(context.Context) string {
		log, err := os.ReadFile(pool.Server.AuditLogPath())
		if err != nil {
			return err.Error()
		}
		return lacks(string(log), fmt.Sprintf(`"maintenance.medik8s.io/node":%q`, hold.Spec.NodeName))
	})
}
