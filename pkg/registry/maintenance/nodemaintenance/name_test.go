// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestFormerHoldName(t *testing.T) {
	if got := FormerHoldName("worker-1", "alice"); got != "worker-1-2bd806c9" {
		t.Errorf("got the former name %s: holds that have it are not found", got)
	}
}

func TestNodeInHoldName(t *testing.T) {
	for _, name := range []string{
		"worker-1", "worker-1-2bd806c9", "worker-1-2bd806c97f0e00af1a1fc3328fa763a", "worker-1-2bd806c97f0e00af1a1fc3328fa763ag",
		"worker-1-2bd806c97f0e00af1a1fc3328fa763a90", "-2bd806c97f0e00af1a1fc3328fa763a9",
	} {
		if node, ok := NodeInHoldName(name); ok {
			t.Errorf("%s is taken for a hold on node %q", name, node)
		}
	}
	if node, ok := NodeInHoldName(v1beta1.HoldName("worker-1", "alice")); !ok || node != "worker-1" {
		t.Errorf("got node %q, %t", node, ok)
	}
}
