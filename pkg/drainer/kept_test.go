// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// A lease that somebody else has is told as it always was: as a give-back that fails.
func TestNodeThatIsKeptByALease(t *testing.T) {
	gated(t, make([]Verdict, 1), func(c *cluster, gates ...*fakeGate) {
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
		c.wait(writeInterval)
		c.events()
		const message = "another one has the lease"
		gates[0].keep(Verdict{Wait: &Wait{Reason: v1beta1.ReasonLeaseLost, Message: message}, Again: time.Minute})
		c.delete("a")
		c.wait(time.Minute)
		if status := c.hold("a").Status; status.LastError != message || kept(status) != nil {
			t.Errorf("the hold says %+v, want only lastError %q", status, message)
		}
		events := c.events()
		c.wantEvent(events, eventReleaseFailed, 2) // on the hold and on the node
		c.wantEvent(events, eventReleaseHeld, 0)
	})
}
