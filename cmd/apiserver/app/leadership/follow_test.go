// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"math"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// A leader whose lease was edited or deleted stops at once, and not when it would renew the lease.
func TestLeaderFollowsLease(t *testing.T) {
	edit := func(change func(*coordinationv1.Lease)) func(c *cluster) {
		return func(c *cluster) { drainertest.Change(c.Server, c.lease(), change) }
	}
	for name, test := range map[string]struct {
		change    func(c *cluster)
		wantStops bool
	}{
		"another holder": {edit(func(lease *coordinationv1.Lease) { lease.Spec.HolderIdentity = ptr.To("me") }), true},
		"no holder":      {edit(func(lease *coordinationv1.Lease) { lease.Spec.HolderIdentity = nil }), true},
		"deleted":        {func(c *cluster) { c.Remove(c.lease()) }, true},
		"a label":        {edit(func(lease *coordinationv1.Lease) { lease.Labels = map[string]string{"a": "b"} }), false},
	} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(c *cluster) {
				a := c.startReplica("a")
				defer func() { a.stop() }()
				c.wait(time.Minute + retryPeriod/10)
				test.change(c)
				c.wait(retryPeriod / 10)
				if stopped := a.terms.Load() > 1 || !a.leads.Load(); stopped != test.wantStops {
					t.Errorf("it stopped: %t, want %t", stopped, test.wantStops)
				}
				c.until("it leads again", a.leads.Load)
			})
		})
	}
}

// An event that is older than the term does not end it.
func TestLateEventsEndNoTerm(t *testing.T) {
	inCluster(t, func(c *cluster) {
		a := c.startReplica("a")
		defer func() { a.stop() }()
		c.wait(time.Minute)
		a.lock.follow(t.Context(), "b")
		c.wait(time.Minute)
		c.wantLeads(map[*replica]bool{a: true})
		if terms := a.terms.Load(); terms != 1 {
			t.Errorf("it began %d terms, want 1", terms)
		}
	})
}

// A lease that says that it lasts for years counts as long as any other.
func TestLeaseOfYears(t *testing.T) {
	inCluster(t, func(c *cluster) {
		c.Add(&coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: leaseNamespace, Name: leaseName},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To("me"), LeaseDurationSeconds: ptr.To[int32](math.MaxInt32)},
		})
		a := c.startReplica("a")
		defer func() { a.stop() }()
		if took := c.until("a leads", a.leads.Load); took < leaseDuration || took > leaseDuration+time.Second {
			t.Errorf("it leads after %s, want %s", took, leaseDuration)
		}
	})
}
