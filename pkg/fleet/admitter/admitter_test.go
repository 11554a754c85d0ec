// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"testing"
)

func TestLimitIsKeptThroughARoll(t *testing.T) {
	inWorld(t, 3, func(w *world) {
		w.nodes(10)
		w.policy("workers", maxConcurrent(3))
		w.start()
		w.holds(10)
		w.settle()
		w.wantCordoned("w-1", "w-10", "w-2")
	})
}
