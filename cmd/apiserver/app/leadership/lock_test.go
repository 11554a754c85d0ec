// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// A leader that comes back after another one has taken the lease leaves it alone. The library would release it.
func TestLeaseOfSuccessorIsNotReleased(t *testing.T) {
	inCluster(t, func(c *cluster) {
		a := c.newReplica("a")
		a.lingers = 8 * time.Second
		var lost atomic.Bool
		a.kube.PrependReactor("update", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
			return lost.Load(), nil, errCutOff
		})
		a.start(a.work)
		defer func() { a.stop() }()
		c.wait(time.Minute)
		b := c.startReplica("b")
		defer func() { b.stop() }()
		c.wait(time.Second)
		// The last renewals of a do not arrive, and its release arrives when b leads.
		lost.Store(true)
		c.until("b leads", b.leads.Load)
		lost.Store(false)
		c.wait(time.Minute)
		c.wantLeads(map[*replica]bool{a: false, b: true})
		if terms := b.terms.Load(); terms != 1 || c.holder() != "b" {
			t.Errorf("%q holds the lease in term %d of b", c.holder(), terms)
		}
	})
}

// A lease that somebody deletes is made again by its holder, and by others only when the term of the holder must
// be over.
func TestDeletedLease(t *testing.T) {
	for name, cutOff := range map[string]bool{"its holder is there": false, "its holder is cut off": true} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(c *cluster) {
				a := c.startReplica("a")
				defer func() { a.stop() }()
				c.wait(time.Second)
				b := c.startReplica("b")
				defer func() { b.stop() }()
				c.wait(time.Minute)
				a.off.Store(cutOff)
				c.Remove(c.lease())
				for range 200 {
					c.wait(100 * time.Millisecond)
					if a.leads.Load() && b.leads.Load() {
						t.Fatal("both lead")
					}
				}
				c.wantLeads(map[*replica]bool{a: !cutOff, b: cutOff})
			})
		})
	}
}

// Somebody who writes the lease by hand deposes the leader at its next renewal.
func TestLeaseWrittenByHand(t *testing.T) {
	inCluster(t, func(c *cluster) {
		a := c.startReplica("a")
		defer func() { a.stop() }()
		c.wait(time.Minute)
		drainertest.Change(c.Server, c.lease(), func(lease *coordinationv1.Lease) { lease.Spec.HolderIdentity = ptr.To("me") })
		if took := c.until("a stops", func() bool { return !a.leads.Load() }); took > retryPeriod {
			t.Errorf("a stops after %s, want %s at most", took, retryPeriod)
		}
		c.until("a leads again", a.leads.Load)
		if holder := c.holder(); holder != "a" {
			t.Errorf("%q holds the lease", holder)
		}
	})
}

// A renewal counts from when its request began: that is before the API server has carried it out.
func TestRenewalCountsFromItsRequest(t *testing.T) {
	inCluster(t, func(c *cluster) {
		r := c.newReplica("a")
		began := time.Now()
		err := r.lock.hold(func() error {
			time.Sleep(renewDeadline - time.Second)
			return nil
		})
		if err != nil || !r.fence.renewed.Equal(began) {
			t.Errorf("the renewal counts from %s, want %s; %v", r.fence.renewed, began, err)
		}
		if err := r.lock.hold(func() error { return errCutOff }); err == nil || !r.fence.renewed.Equal(began) {
			t.Errorf("a renewal that fails counts from %s; %v", r.fence.renewed, err)
		}
	})
}
