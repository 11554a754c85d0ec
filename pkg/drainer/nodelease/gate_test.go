// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// wantLease wants the lease to be ours, acquired and renewed when it is said, with that many transitions.
func (c *cluster) wantLease(acquired, renewed time.Time, transitions int32) {
	c.t.Helper()
	lease := c.lease()
	if lease == nil {
		c.t.Fatal("there is no lease")
	}
	want := made(lease.Name, ownNode, acquired)
	want.Spec.RenewTime, want.Spec.LeaseTransitions = &metav1.MicroTime{Time: renewed}, ptr.To(transitions)
	if diff := cmp.Diff(want.Spec, lease.Spec); diff != "" {
		c.t.Errorf("the lease (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.OwnerReferences, lease.OwnerReferences); diff != "" {
		c.t.Errorf("the owners of the lease (-want +got):\n%s", diff)
	}
}

func TestLeaseIsTakenBeforeTheNodeAndDroppedAfterIt(t *testing.T) {
	for _, form := range []Form{Medik8s, KubeVirt} {
		t.Run(string(form), func(t *testing.T) {
			inCluster(t, form, func(c *cluster) {
				var before, after bool
				c.Inject(drainertest.Failing("create", "leases", nil, noting(&before, func() bool { return c.cordonedLocked() })))
				c.Inject(drainertest.Failing("delete", "leases", nil, noting(&after, func() bool { return c.cordonedLocked() })))
				began := time.Now()
				c.create(drainertest.Hold{Name: "a"})
				c.wantLease(began, began, 0)
				c.wantNode(true, 1, 1)
				c.delete("a")
				if before || after {
					t.Errorf("the node was cordoned when the lease was taken: %t, when it was dropped: %t; want neither", before, after)
				}
				if c.hold("a") != nil {
					t.Error("the hold has not ended")
				}
				c.wantNode(false)
				c.wantDropped()
			})
		})
	}
}

// wantDropped wants nobody to have the lease.
func (c *cluster) wantDropped() {
	c.t.Helper()
	lease := c.lease()
	if c.form == Medik8s {
		if lease != nil {
			c.t.Errorf("the lease is there still: %v", lease.Spec)
		}
		return
	}
	want := coordinationv1.LeaseSpec{LeaseTransitions: ptr.To[int32](0)}
	if diff := cmp.Diff(want, lease.Spec); diff != "" {
		c.t.Errorf("the dropped lease (-want +got):\n%s", diff)
	}
}

func TestLeaseIsRenewedAsLongAsTheNodeIsHeld(t *testing.T) {
	for _, form := range []Form{Medik8s, KubeVirt} {
		t.Run(string(form), func(t *testing.T) {
			inCluster(t, form, func(c *cluster) {
				began := time.Now()
				c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon})
				c.wait(3*lasts - time.Since(began) + time.Minute)
				c.wantLease(began, c.lease().Spec.RenewTime.Time, 0)
				if age := time.Since(c.lease().Spec.RenewTime.Time); age > lasts/3+renewInterval {
					t.Errorf("the lease was renewed %s ago, want a third of its time at most", age)
				}
				if got := c.requests("update"); got < 8 || got > 9 {
					t.Errorf("it was renewed %d times in 3 hours, want once each third of an hour or a minute later", got)
				}
				if got := c.requests("get"); got != 1 {
					t.Errorf("the lease was read %d times, want once, before it was taken", got)
				}
			})
		})
	}
}

func TestRenewalThatFailsDoesNoHarmWhileTheLeaseIsValid(t *testing.T) {
	inCluster(t, Medik8s, func(c *cluster) {
		began := time.Now()
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon})
		c.Inject(drainertest.Failing("update", "leases", drainertest.ServerDown()))
		c.wait(lasts - 5*time.Minute)
		want := said{Phase: v1beta1.PhaseSucceeded, Reason: v1beta1.ReasonCordoned, Message: "node worker-1 is cordoned"}
		if diff := cmp.Diff(want, c.says("a")); diff != "" {
			t.Errorf("while the lease is valid (-want +got):\n%s", diff)
		}
		c.wait(6 * time.Minute)
		got := c.says("a")
		if got.Phase != v1beta1.PhaseFailed || got.Reason != v1beta1.ReasonLeaseLost || got.Count != mostFailures+1 {
			t.Errorf("once the lease has ended: %+v, want it failed and lost", got)
		}
		c.wantNode(true)
		c.Heal()
		c.wait(askInterval)
		if diff := cmp.Diff(want, c.says("a")); diff != "" {
			t.Errorf("once renewals succeed again (-want +got):\n%s", diff)
		}
		c.wantLease(began, c.lease().Spec.RenewTime.Time, 0)
	})
}

// Others may write a lease in our name, and leave out what no holder needs.
func TestLeaseOfOursThatDoesNotCountIsRenewed(t *testing.T) {
	inCluster(t, Medik8s, func(c *cluster) {
		began := time.Now()
		lease := drainertest.Lease{Holder: holder, Renewed: began.Add(-lasts / 2), Lasts: lasts}.Object()
		lease.Spec.LeaseTransitions, lease.Spec.AcquireTime = nil, nil
		c.Replace(lease)
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon})
		c.wait(renewInterval)
		if renewed := c.lease().Spec.RenewTime; renewed.Time.Before(began) {
			t.Errorf("the lease was renewed last at %s, want it renewed since %s", renewed, began)
		}
		c.wantNode(true)
	})
}

func TestRestartGoesOnWithTheLease(t *testing.T) {
	inCluster(t, Medik8s, func(c *cluster) {
		began := time.Now()
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon})
		c.stop()
		written, status := c.writes(), c.hold("a").ResourceVersion
		c.start()
		c.wait(10 * time.Minute)
		c.wantLease(began, began, 0)
		if got := c.writes(); got != written || c.hold("a").ResourceVersion != status {
			t.Errorf("after the restart, %d writes of leases, and version %s of the hold; want no write", got-written, c.hold("a").ResourceVersion)
		}
		c.wait(20 * time.Minute)
		c.wantLease(began, c.lease().Spec.RenewTime.Time, 0)
		if got := c.writes(); got != written+1 {
			t.Errorf("%d writes of leases half an hour after the restart, want 1", got-written)
		}
	})
}

func TestNodeWaitsForALeaseThatAnotherHolderHas(t *testing.T) {
	const until = "2000-01-01T00:30:00Z" // a bubble's time begins with the year 2000
	tests := map[string]struct {
		form                   Form
		wantMessage, wantError string
	}{
		"medik8s": {
			form: Medik8s,
			wantMessage: "can't update or invalidate the lease because it is held by different owner: node-healthcheck " +
				"(lease medik8s-leases/node-worker-1 of node-healthcheck, until " + until + " or longer); node worker-1 is not touched before the lease is free",
			wantError: "failed to obtain a lease that is not owned by us : can't update or invalidate the lease because it is held by " +
				"different owner: node-healthcheck errorOnLeaseCount 0",
		},
		"KubeVirt": {
			form: KubeVirt,
			wantMessage: "Can't update valid lease held by different owner (lease node-maintenance/worker-1 of node-healthcheck, until " + until +
				" or longer); node worker-1 is not touched before the lease is free",
			wantError: "Can't update valid lease held by different owner",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, test.form, func(c *cluster) {
				c.steal(time.Date(2000, 1, 1, 0, 30, 0, 0, time.UTC).Sub(time.Now().Truncate(time.Second)))
				before, foreign := c.node(), c.lease()
				c.create(drainertest.Hold{Name: "a"})
				c.create(drainertest.Hold{Name: "b", Stage: v1beta1.StageCordon})
				want := said{Phase: v1beta1.PhasePending, Reason: v1beta1.ReasonLeaseHeld, Message: test.wantMessage, LastError: test.wantError}
				for _, hold := range []string{"a", "b"} {
					if diff := cmp.Diff(want, c.says(hold)); diff != "" {
						t.Errorf("hold %s (-want +got):\n%s", hold, diff)
					}
				}
				c.wait(20 * time.Minute)
				if diff := cmp.Diff(before, c.node()); diff != "" {
					t.Errorf("the node was touched (-before +after):\n%s", diff)
				}
				if got := c.writes(); got != 0 || c.lease() != foreign {
					t.Errorf("%d writes of leases, want none", got)
				}
				c.Remove(foreign)
				c.wait(time.Second)
				c.wantNode(true, 1, 1)
				if got := c.says("a"); got.Phase != v1beta1.PhaseRunning || got.LastError != "" {
					t.Errorf("once the lease is free: %+v", got)
				}
			})
		})
	}
}

// Without any change that a watch could show, the node goes on when the lease of another holder ends.
func TestNodeGoesOnWhenTheLeaseOfAnotherHolderEnds(t *testing.T) {
	inCluster(t, Medik8s, func(c *cluster) {
		c.steal(30 * time.Minute)
		c.create(drainertest.Hold{Name: "a"})
		c.wait(30*time.Minute + clockSkew - 5*time.Second)
		c.wantNode(false, 0, 0)
		c.wait(5 * time.Second)
		c.wantNode(true, 1, 1)
		renewed := c.lease().Spec.RenewTime.Time
		c.wantLease(renewed, renewed, 1)
	})
}

// A holder that renews its lease writes often. The status tells until when the holder has the lease at least.
func TestRenewalsOfAnotherHolderAreQuiet(t *testing.T) {
	inCluster(t, Medik8s, func(c *cluster) {
		c.steal(10 * time.Minute)
		c.create(drainertest.Hold{Name: "a"})
		told := c.hold("a").ResourceVersion
		for range 8 {
			c.wait(time.Minute)
			c.steal(10 * time.Minute)
		}
		if got := c.hold("a").ResourceVersion; got != told {
			t.Errorf("the status was written again: version %s, want %s", got, told)
		}
		c.wait(5 * time.Minute)
		if got := c.hold("a").ResourceVersion; got == told {
			t.Error("the status names a time that is over")
		}
		c.wantNode(false, 0, 0)
	})
}

func TestHoldThatWaitsForTheLeaseEndsWithoutIt(t *testing.T) {
	inCluster(t, Medik8s, func(c *cluster) {
		c.steal(lasts)
		before, foreign := c.node(), c.lease()
		c.create(drainertest.Hold{Name: "a"})
		c.delete("a")
		if c.hold("a") != nil {
			t.Error("the hold has not ended")
		}
		if diff := cmp.Diff(before, c.node()); diff != "" {
			t.Errorf("the node was touched (-before +after):\n%s", diff)
		}
		if c.lease() != foreign {
			t.Error("the lease of another holder was changed")
		}
	})
}

func TestLeaseThatMayNotBeTakenIsSaid(t *testing.T) {
	tests := map[string]struct {
		fault drainertest.Fault
		want  string
	}{
		"no rights": {
			fault: drainertest.Failing("get", "leases", drainertest.NotYou("leases")),
			want:  `could not get lease medik8s-leases/node-worker-1: leases "x" is forbidden: not you; the server needs the rights that the chart's value nodeLeases.form gives`,
		},
		"no namespace, and no right to make one": {
			fault: allOf(drainertest.Failing("create", "leases", noNamespace()),
				drainertest.Failing("create", "namespaces", drainertest.NotYou("namespaces"))),
			want: "could not create namespace medik8s-leases, in which the leases of nodes are to be: set the chart's value nodeLeases.form, " +
				`which creates it: namespaces "x" is forbidden: not you`,
		},
		"the namespace is not there right after it was made": {
			fault: drainertest.Failing("create", "leases", noNamespace()),
			want:  `could not create lease medik8s-leases/node-worker-1: namespaces "medik8s-leases" not found`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, Medik8s, func(c *cluster) {
				c.Inject(test.fault)
				c.create(drainertest.Hold{Name: "a"})
				if got := c.hold("a").Status.LastError; got != test.want {
					t.Errorf("lastError is\n%s\nwant\n%s", got, test.want)
				}
				c.wantNode(false, 0, 0)
				if name == "no rights" { // what cannot be read keeps no hold that has nothing
					c.delete("a")
					if c.hold("a") != nil {
						t.Error("the hold has not ended")
					}
					return
				}
				c.Heal()
				c.wait(time.Minute)
				c.wantNode(true, 1, 1)
			})
		})
	}
}

func TestNamespaceOfTheLeasesIsCreated(t *testing.T) {
	inCluster(t, KubeVirt, func(c *cluster) {
		c.Inject(func(action clienttesting.Action) (bool, error) {
			if action.GetVerb() == "create" && action.GetResource() == drainertest.Leases && !c.hasNamespaceLocked("node-maintenance") {
				return false, noNamespace()
			}
			return false, nil
		})
		c.create(drainertest.Hold{Name: "a"})
		c.wantNode(true, 1, 1)
	})
}

// A crash between the give-back and the drop leaves a lease of ours for a node that nobody holds.
func TestLeaseLeftBehindIsDropped(t *testing.T) {
	tests := map[string]struct {
		meet     func(c *cluster)
		wantKept bool
	}{
		"node in service":                       {meet: func(*cluster) {}},
		"node gone":                             {meet: func(c *cluster) { c.Remove(c.node()) }},
		"node in maintenance by another server": {meet: func(c *cluster) { drainertest.Change(c.Server, c.node(), drainertest.Cordon) }, wantKept: true},
		"node held":                             {meet: func(c *cluster) { c.Add(drainertest.Hold{Name: "a"}.Object()) }, wantKept: true},
		"lease of another holder": {meet: func(c *cluster) {
			c.Replace(drainertest.Lease{Holder: healthCheck, Renewed: time.Now(), Lasts: lasts}.Object())
		}, wantKept: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, Medik8s, func(c *cluster) {
				c.stop()
				c.Add(drainertest.Lease{Holder: holder, Renewed: time.Now(), Lasts: lasts}.Object())
				test.meet(c)
				c.start()
				c.wait(time.Second)
				if kept := c.lease() != nil; kept != test.wantKept {
					t.Errorf("the lease is there still: %t, want %t", kept, test.wantKept)
				}
			})
		})
	}
}
