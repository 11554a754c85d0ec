// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodemaintenance

import (
	"strings"
	"testing"
)

func TestHoldName(t *testing.T) {
	if got := HoldName("worker-1", "alice"); got != "worker-1-2bd806c97f0e00af1a1fc3328fa763a9" {
		t.Errorf("got %s: another name than before makes a second hold", got)
	}
	if got := FormerHoldName("worker-1", "alice"); got != "worker-1-2bd806c9" {
		t.Errorf("got the former name %s: holds that have it are not found", got)
	}
	if HoldName("worker-1", "alice") == HoldName("worker-1", "bob") {
		t.Error("two requestors share a name")
	}
	if got := HoldName(strings.Repeat("a", 253), "alice"); len(got) != 253 {
		t.Errorf("the name for the longest node has %d characters, want 253", len(got))
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
	if node, ok := NodeInHoldName(HoldName("worker-1", "alice")); !ok || node != "worker-1" {
		t.Errorf("got node %q, %t", node, ok)
	}
}
