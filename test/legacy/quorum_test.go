// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// A node of the control plane that must stay is refused in the operators' words. The test is not parallel:
// all members of the cluster count.
func TestQuorum(t *testing.T) {
	pool := env.Current(t).NewPool(t, 3)
	for _, node := range pool.Nodes {
		pool.Kubectl().Must(t, "", "label", "node", node, "node-role.kubernetes.io/control-plane=")
	}
	pool.Create(t, pool.Hold("first", pool.Nodes[0]))
	second := pool.Nodes[1]
	for _, g := range groups {
		want := "can not put master node into maintenance at this moment, it would violate the master quorum\n"
		if g.Group == "nodemaintenance.medik8s.io" {
			want = fmt.Sprintf("can not put master/control-plane node into maintenance at this moment, disrupting node %s will violate etcd quorum\n", second)
		}
		got := pool.Kubectl().Try(t, g.manifest("second-"+second, second, "test"), "apply", "-f", "-")
		if got.Code != 1 || !strings.HasSuffix(got.Stderr, want) || !strings.Contains(got.Stderr, "Forbidden") {
			t.Errorf("%s: exit code %d, %q; want a refusal that ends with %q", g.Group, got.Code, got.Stderr, want)
		}
	}
}
