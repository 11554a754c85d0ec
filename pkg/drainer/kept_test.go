// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// Details of what a node waits for change often, and are written into the status only.
func TestEventsOfANodeThatIsKept(t *testing.T) {
	waits := func(reason, about, details string) Verdict {
		return Verdict{Wait: &holdstatus.Wait{Reason: reason, About: about, Message: about + details}, Again: time.Minute}
	}
	gated(t, make([]Verdict, 1), func(c *cluster, gates ...*fakeGate) {
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
		c.wait(holdstatus.WriteInterval)
		gates[0].keep(waits("Gate", "pods: ", "a, b"))
		c.delete("a")
		for _, step := range []struct {
			next       Verdict
			wantEvents int // on the hold and on the node
		}{
			{waits("Gate", "pods: ", "a, b"), 2},
			{waits("Gate", "pods: ", "b"), 0},
			{waits("Gate", "disks: ", "b"), 2},
			{waits("Late", "disks: ", "b"), 2},
		} {
			gates[0].keep(step.next)
			c.wait(2 * time.Minute)
			c.wantEvent(c.events(), holdstatus.EventReleaseHeld, step.wantEvents)
			if got, want := c.hold("a").Status.LastError, step.next.Wait.Message; got != want {
				t.Errorf("lastError is %q, want %q", got, want)
			}
		}
	})
}

// A lease that somebody else has is told as it always was: as a give-back that fails.
func TestNodeThatIsKeptByALease(t *testing.T) {
	gated(t, make([]Verdict, 1), func(c *cluster, gates ...*fakeGate) {
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
		c.wait(holdstatus.WriteInterval)
		c.events()
		const message = "another one has the lease"
		gates[0].keep(Verdict{Wait: &holdstatus.Wait{Reason: v1beta1.ReasonLeaseLost, Message: message}, Again: time.Minute})
		c.delete("a")
		c.wait(time.Minute)
		if status := c.hold("a").Status; status.LastError != message || holdstatus.Kept(status) != nil {
			t.Errorf("the hold says %+v, want only lastError %q", status, message)
		}
		events := c.events()
		c.wantEvent(events, holdstatus.EventReleaseFailed, 2) // on the hold and on the node
		c.wantEvent(events, holdstatus.EventReleaseHeld, 0)
	})
}
