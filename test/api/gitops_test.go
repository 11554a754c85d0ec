// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// What docs/drain.md says of NodeMaintenances in Git: a tool that applies one again and again brings
// it back after it has expired, and Idle in Git ends it for good.
func TestHoldsInGit(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 2)
	kubectl := pool.Kubectl()
	sync := func(suffix, node, spec string) string {
		return kubectl.Must(t, manifest(pool.Name+"-"+suffix, fmt.Sprintf(`{"nodeName":%q,%s}`, node, spec)), "apply", "-f", "-")
	}
	inService := func(node string, want bool) {
		t.Helper()
		env.Eventually(t, "node", func(context.Context) string {
			if got := !pool.Node(t, node).Spec.Unschedulable; got != want {
				return fmt.Sprintf("in service: %v, want %v", got, want)
			}
			return ""
		})
	}

	t.Run("with expirationSeconds", func(t *testing.T) {
		node, spec := pool.Nodes[0], `"expirationSeconds":15` // less, and the node could be back before it is looked at
		for range 2 {
			wantContains(t, "apply", sync("a", node, spec), "created")
			inService(node, false)
			kubectl.Must(t, "", "wait", "--for=delete", "nm/"+pool.Name+"-a", "--timeout="+env.Timeout.String())
			inService(node, true)
		}
	})
	t.Run("ended with Idle", func(t *testing.T) {
		node := pool.Nodes[1]
		sync("b", node, `"stage":"Drain"`)
		inService(node, false)
		wantContains(t, "apply", sync("b", node, `"stage":"Idle"`), "configured")
		inService(node, true)
		wantContains(t, "apply again", sync("b", node, `"stage":"Idle"`), "unchanged")
		inService(node, true)
	})
}
