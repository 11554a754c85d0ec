// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package admitter

import (
	"testing"
	"time"
)

// A decision that does not return is told, and only that.
func TestDecisionThatDoesNotReturn(t *testing.T) {
	inWorld(t, -1, func(w *world) {
		w.nodes(1)
		r := w.start()
		wantHealthy := func(when string, want bool) {
			t.Helper()
			if err := r.admitter.Healthy(); (err == nil) != want {
				t.Errorf("%s: got %v, want it to be healthy: %t", when, err, want)
			}
		}
		w.wait(time.Hour)
		wantHealthy("while there is nothing to decide", true)
		r.client.close()
		w.policy("workers", maxConcurrent(1))
		w.wait(decisionTakes / 2)
		wantHealthy("while it decides", true)
		w.wait(decisionTakes)
		wantHealthy("when it does not return", false)
		r.client.open()
		w.settle()
		wantHealthy("when it has returned", true)
	})
}
