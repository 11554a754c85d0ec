// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// suspendable is the clock of a machine that may be suspended. The library's clock and all timers stand still
// meanwhile.
type suspendable struct {
	clock.RealClock
	suspended atomic.Int64
}

// Now implements clock.PassiveClock.
func (c *suspendable) Now() time.Time { return time.Now().Add(time.Duration(c.suspended.Load())) }

// suspend has the machine sleep for d.
func (c *suspendable) suspend(d time.Duration) { c.suspended.Add(int64(d)) }

// A leader that wakes up does not take the lease of its successor, although the library believes that it still
// leads.
func TestSuspendedLeaderLeavesLeaseToSuccessor(t *testing.T) {
	inCluster(t, func(c *cluster) {
		a, machine := c.newReplica("a"), &suspendable{}
		a.config.Clock, a.fence.clock, a.lock.clock = machine, machine, machine
		a.start(a.work)
		defer func() { a.stop() }()
		c.wait(time.Minute + 300*time.Millisecond)
		c.wantLeads(map[*replica]bool{a: true})
		machine.suspend(40 * time.Second)
		drainertest.Change(c.Server, c.lease(), func(lease *coordinationv1.Lease) {
			lease.Spec.HolderIdentity, lease.Spec.RenewTime = ptr.To("b"), ptr.To(metav1.NewMicroTime(machine.Now()))
		})
		if _, err := a.Fence().check(); !errors.Is(err, ErrNotLeading) {
			t.Errorf("the fence says %v", err)
		}
		if kept := c.until("a takes the lease", func() bool { return c.holder() != "b" }); kept < leaseDuration {
			t.Errorf("a takes the lease after %s, want %s at least", kept, leaseDuration)
		}
	})
}

// Requests in flight are canceled soon after the machine has woken up, although the timers stood still.
func TestTermExpiresAfterSuspension(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		machine := &suspendable{}
		f := &Fence{clock: machine, lasts: renewDeadline}
		f.renew(machine.Now())
		over := f.open()
		go f.expire(machine)
		synctest.Wait()
		machine.suspend(time.Minute)
		began := time.Now()
		<-over
		if took := time.Since(began); took > expireLook {
			t.Errorf("the term is over %s after the machine woke up, want %s at most", took, expireLook)
		}
	})
}
