// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"strings"
	"testing"
)

func TestHoldName(t *testing.T) {
	if got := HoldName("worker-1", "alice"); got != "worker-1-2bd806c97f0e00af1a1fc3328fa763a9" {
		t.Errorf("got %s: another name than before makes a second hold", got)
	}
	if HoldName("worker-1", "alice") == HoldName("worker-1", "bob") {
		t.Error("two requestors share a name")
	}
	if got := HoldName(strings.Repeat("a", 253), "alice"); len(got) != 253 {
		t.Errorf("the name for the longest node has %d characters, want 253", len(got))
	}
}
