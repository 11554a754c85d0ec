// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// An admin sees what a policy would mean before it counts.
func TestDryRunOfPolicyInKubectl(t *testing.T) {
	t.Parallel()
	pool := env.Current(t).NewPool(t, 0)
	yaml := strings.Replace(fmt.Sprintf(policyYAML, pool.Name), "0 20 * * 5", "0 20 1 * 5", 1)
	yaml = strings.Replace(yaml, "[{planUnblocked: true}]", `[{prometheus: {query: "up"}}]`, 1)
	var out env.Output
	env.Eventually(t, "the server knows the nodes", func(context.Context) string {
		out = pool.Kubectl().Try(t, yaml, "apply", "--dry-run=server", "-f", "-", "-o", "jsonpath={.status}")
		if strings.Contains(out.Stderr, "status does not say what the policy would mean now") {
			return out.Stderr
		}
		return ""
	})
	wantContains(t, "the status", out.Stdout, `"observedGeneration":1`, `"maxConcurrent":1`, `"maxUnavailable":3`, `"conditions":[`, `"nextOpenings":[`)
	if got := strings.Count(out.Stdout, `{"from":"`); got != 5 {
		t.Errorf("got %d openings, want 5: %s", got, out.Stdout)
	}
	wantContains(t, "the warnings", out.Stderr,
		"Warning: spec.schedule: the cron of friday restricts the day of the month and the day of the week",
		"Warning: spec.nodeSelector selects none of the cluster's nodes",
		"Warning: spec.gates.start asks Prometheus, but the server was started without --prometheus-url")
	wantContains(t, "get", pool.Kubectl().Try(t, "", "get", "mpol", pool.Name).Stderr, "not found")
}
