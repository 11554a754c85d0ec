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

// A hold says that it ends soon, and ends; the node is given back.
func TestExpiration(t *testing.T) {
	tests := map[string]struct {
		node  string
		stage v1beta1.MaintenanceStage
	}{
		"drain":        {node: drainertest.NodeName, stage: v1beta1.StageDrain},
		"cordon":       {node: drainertest.NodeName, stage: v1beta1.StageCordon},
		"idle":         {node: drainertest.NodeName, stage: v1beta1.StageIdle},
		"missing node": {node: "worker-9", stage: v1beta1.StageDrain},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
				c.create(drainertest.Hold{
					Name: "a", Node: test.node, Stage: test.stage, Created: time.Now(), ExpirationSeconds: 100,
				}.Object())
				c.wait(70 * time.Second)
				if holdstatus.IsExpiring(c.hold("a").Status) {
					t.Error("it says too early that it ends soon")
				}
				hold := c.hold("a")
				if end := hold.Status.ExpirationTime; end == nil || end.Sub(hold.CreationTimestamp.Time) != 100*time.Second {
					t.Errorf("got expiration time %v, want 100 s after the creation", end)
				}
				c.wait(12 * time.Second)
				if !holdstatus.IsExpiring(c.hold("a").Status) {
					t.Error("it does not say that it ends soon")
				}
				c.wantEvent(c.events(), holdstatus.EventHoldExpiring, 2) // on the hold, and on the node
				c.wait(10 * time.Second)
				c.hold("a") // it has not ended yet
				c.wait(10 * time.Second)
				c.wantNoHold("a")
				c.wantEvent(c.events(), holdstatus.EventHoldExpired, 2)
				if test.node == drainertest.NodeName && c.node(drainertest.NodeName).Spec.Unschedulable {
					t.Error("the node was not given back")
				}
			})
		})
	}
}

// More time given in time keeps the hold, and takes back that it ends soon.
func TestExpirationExtended(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", Created: time.Now(), ExpirationSeconds: 20}.Object())
		c.wait(17 * time.Second)
		c.change("a", func(h *v1beta1.NodeMaintenance) { *h.Spec.ExpirationSeconds = 1000 })
		c.wait(20 * time.Second)
		if h := c.hold("a"); holdstatus.IsExpiring(h.Status) || !c.node(drainertest.NodeName).Spec.Unschedulable {
			t.Errorf("got %+v, want it to hold the node and not to end soon", h)
		}
	})
}

// A hold that had to wait has its time from when it was admitted.
func TestExpirationOfAHoldThatWaits(t *testing.T) {
	tests := map[string]struct {
		// then is what happens to a hold that has waited for an hour.
		then func(c *cluster)
		// wantEnds says that its time counts from then.
		wantEnds bool
	}{
		"it waits on":      {then: func(*cluster) {}},
		"it is denied":     {then: func(c *cluster) { c.admits("a", queued(v1beta1.StageIdle, "denied")) }},
		"nothing is known": {then: func(c *cluster) { c.leadAnew(&fakeAdmission{unknown: true}) }},
		"it is admitted":   {then: func(c *cluster) { c.admits("a", admitted(time.Now())) }, wantEnds: true},
		"its cordon is admitted": {then: func(c *cluster) {
			answer := queued(v1beta1.StageCordon, "closed")
			answer.Status.AdmittedTime = admitted(time.Now()).Status.AdmittedTime
			c.admits("a", answer)
		}, wantEnds: true},
		"the last policy is deleted": {then: func(c *cluster) {
			c.policy(func(f *fakeAdmission) { delete(f.answers, "a") })
		}, wantEnds: true},
		"the last policy was deleted while the server was down": {then: func(c *cluster) { c.leadAnew(&fakeAdmission{}) }, wantEnds: true},
		"the policy is deleted after the start": {then: func(c *cluster) {
			c.admits("a", admitted(time.Now()))
			c.policy(func(f *fakeAdmission) { delete(f.answers, "a") })
		}, wantEnds: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			policed(t, func(c *cluster) {
				c.admits("a", queued(v1beta1.StageIdle, "full"))
				c.create(drainertest.Hold{Name: "a", Created: time.Now(), ExpirationSeconds: 100}.Object())
				c.wait(time.Hour)
				if status := c.hold("a").Status; status.ExpirationTime != nil || holdstatus.IsExpiring(status) {
					t.Errorf("got %+v, want no end while it waits", status)
				}
				test.then(c)
				c.wait(70 * time.Second)
				if status := c.hold("a").Status; (status.ExpirationTime != nil) != test.wantEnds || holdstatus.IsExpiring(status) {
					t.Errorf("got %+v, want an end: %t, and not soon", status, test.wantEnds)
				}
				c.wait(15 * time.Second)
				if status := c.hold("a").Status; holdstatus.IsExpiring(status) != test.wantEnds {
					t.Errorf("got %+v, want it to end soon: %t", status, test.wantEnds)
				}
				c.wait(20 * time.Second)
				if ended := drainertest.Get[*v1beta1.NodeMaintenance](c.Server, "", "a") == nil; ended != test.wantEnds {
					t.Errorf("it has ended: %t, want %t", ended, test.wantEnds)
				}
			})
		})
	}
}

// A hold that has its node already when the first policy comes has not waited for it.
func TestExpirationOfAHoldThatIsAdopted(t *testing.T) {
	policed(t, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", Created: time.Now(), ExpirationSeconds: 100}.Object())
		end := c.hold("a").Status.ExpirationTime
		c.wait(50 * time.Second)
		c.admits("a", admitted(time.Now()))
		c.wait(5 * time.Second)
		if got := c.hold("a").Status.ExpirationTime; !got.Equal(end) {
			t.Errorf("it ends at %v, want %v as before", got, end)
		}
	})
}
