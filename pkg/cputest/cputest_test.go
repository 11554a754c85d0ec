// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cputest

import (
	"testing"
	"time"
)

// Work counts, and a wait does not.
func TestTime(t *testing.T) {
	const wait = 200 * time.Millisecond
	if got := Time(t, func() { <-time.After(wait) }); got >= wait {
		t.Errorf("to wait for %s takes %s, want less", wait, got)
	}
	const work = 50 * time.Millisecond
	began := spent(t)
	if got := Time(t, func() {
		for spent(t)-began < work {
			continue
		}
	}); got < work/2 {
		t.Errorf("to work for %s takes %s", work, got)
	}
}
