// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package nodelease

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// lostFor is what a hold says after so many failures in a row, without the message.
func lostFor(failures int32) said {
	if failures > mostFailures {
		return said{
			Phase: v1beta1.PhaseFailed, Reason: v1beta1.ReasonLeaseLost, Count: failures,
			LastError: fmt.Sprintf("maintenance failed: lease could not be extended after %d attempts", failures),
		}
	}
	return said{
		Phase: v1beta1.PhasePending, Reason: v1beta1.ReasonLeaseLost, Count: failures,
		LastError: fmt.Sprintf("failed to extend a lease that used to be owned by us, incrementing error on lease count: "+
			"can't update or invalidate the lease because it is held by different owner: node-healthcheck, errorOnLeaseCount: %d", failures),
	}
}

// wantSaid wants the holds to say that of their lease.
func (c *cluster) wantSaid(want said, holds ...string) {
	c.t.Helper()
	for _, hold := range holds {
		if diff := cmp.Diff(want, c.says(hold), cmpopts.IgnoreFields(said{}, "Message")); diff != "" {
			c.t.Errorf("hold %s (-want +got):\n%s", hold, diff)
		}
	}
}

// running is what a hold says while its drain goes on.
var running = said{Phase: v1beta1.PhaseRunning, Reason: v1beta1.ReasonCordoned}

// lostInADrain runs a test with two holds of a node. One pod was evicted, and a budget keeps the other one. Then
// another operator takes the lease.
func lostInADrain(t *testing.T, test func(c *cluster, budget drainertest.Budget)) {
	t.Helper()
	inCluster(t, Medik8s, func(c *cluster) {
		budget := drainertest.Budget{Name: "web", Version: "1", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1}
		c.Replace(budget.Object())
		c.wait(0)
		c.create(drainertest.Hold{Name: "a"})
		c.create(drainertest.Hold{Name: "b"})
		c.wantNode(true, 1, 0)
		c.wantSaid(running, "a", "b")
		c.steal(lasts)
		test(c, budget)
	})
}

func TestLeaseLostInADrainStopsItUntilTheLeaseIsFree(t *testing.T) {
	lostInADrain(t, func(c *cluster, budget drainertest.Budget) {
		c.wantSaid(lostFor(1), "a", "b")
		want := "can't update or invalidate the lease because it is held by different owner: node-healthcheck " +
			"(lease medik8s-leases/node-worker-1 of node-healthcheck, until 2000-01-01T01:00:06Z or longer); " +
			"nothing is evicted from node worker-1, and it stays cordoned, until the lease is free"
		if got := c.says("a").Message; got != want {
			t.Errorf("the message is\n%s\nwant\n%s", got, want)
		}
		c.wait(attemptInterval)
		c.wantSaid(lostFor(2), "a", "b")
		c.create(drainertest.Hold{Name: "c", Stage: v1beta1.StageCordon}) // one that comes meanwhile says the same
		c.wait(2 * attemptInterval)
		c.wantSaid(lostFor(4), "a", "b", "c")

		c.leaves("web-1", budget)
		written, node := c.hold("a").ResourceVersion, c.node()
		c.wait(30 * time.Minute)
		c.steal(lasts)
		c.wait(20 * time.Minute)
		c.wantSaid(lostFor(4), "a", "b", "c")
		c.wantNode(true, 1, 0)
		if got := c.hold("a").ResourceVersion; got != written || c.node() != node {
			t.Errorf("the hold or the node was written while nothing happened: version %s of the hold, want %s", got, written)
		}

		c.free()
		c.wait(time.Second)
		c.wantSaid(running, "a", "b")
		c.wantNode(true, 1, 1)
		c.wantEvents("LeaseLost", 3, "MaintenanceFailed", 3, "DrainTimedOut", 0, "NodeUncordoned", 0)
	})
}

// leaves ends a pod that was evicted, and has the budget let another go.
func (c *cluster) leaves(pod string, budget drainertest.Budget) {
	c.Remove(drainertest.Get[*corev1.Pod](c.Server, drainertest.Namespace, pod))
	budget.Version, budget.Desired, budget.Healthy, budget.Expected = "2", 0, 1, 1
	c.Replace(budget.Object())
	c.wait(0)
}

// wantEvents wants that many events of each reason, on holds.
func (c *cluster) wantEvents(reasonsAndCounts ...any) {
	c.t.Helper()
	got := map[string]int{}
	for len(c.events.Events) > 0 {
		got[strings.Fields(<-c.events.Events)[1]]++
	}
	for i := 0; i < len(reasonsAndCounts); i += 2 {
		reason, want := reasonsAndCounts[i].(string), reasonsAndCounts[i+1].(int)
		if got[reason] != 2*want { // one on the node, one on the hold
			c.t.Errorf("%d events %s, want %d on holds and on the node", got[reason], reason, want)
		}
	}
}

// The count is in the status, so a restart does not begin anew.
func TestFailuresAreCountedAcrossARestart(t *testing.T) {
	lostInADrain(t, func(c *cluster, _ drainertest.Budget) {
		c.wait(attemptInterval)
		c.wantSaid(lostFor(2), "a", "b")
		c.stop()
		c.start()
		c.wait(time.Second)
		c.wantSaid(lostFor(3), "a", "b")
		c.wait(attemptInterval)
		c.wantSaid(lostFor(4), "a", "b")
		c.stop()
		c.start()
		c.wait(2 * attemptInterval)
		c.wantSaid(lostFor(4), "a", "b")
		c.free()
		c.wait(time.Second)
		c.wantSaid(running, "a", "b")
	})
}

// The lease may be lost before anything was evicted, and after all was.
func TestLeaseLostWithoutProgress(t *testing.T) {
	tests := map[string]drainertest.Hold{
		"no drain":          {Name: "a", Stage: v1beta1.StageCordon},
		"nothing to evict":  {Name: "a", SelectApp: "other"},
		"nothing could yet": {Name: "a", Blocking: true},
	}
	for name, hold := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, Medik8s, func(c *cluster) {
				c.create(hold)
				before := c.says("a")
				c.steal(lasts)
				c.wantSaid(lostFor(1), "a")
				c.wait(4 * attemptInterval)
				c.wantSaid(lostFor(4), "a")
				c.wantNode(true)
				c.free()
				c.wait(time.Second)
				c.wantSaid(before, "a")
			})
		})
	}
}

// unreadable is what a hold that was drained says while the lease cannot be read.
var unreadable = said{
	Phase: v1beta1.PhaseSucceeded, Reason: v1beta1.ReasonCordoned, LastError: `could not get lease medik8s-leases/node-worker-1: ` +
		`leases "x" is forbidden: not you; the server needs the rights that the chart's value nodeLeases.form gives`,
}

// A lease that cannot be read is not lost, so the drain that is done stays so.
func TestLeaseThatCannotBeReadLeavesTheStatus(t *testing.T) {
	reads := map[string]func(c *cluster){
		"after a restart":       func(c *cluster) { c.stop(); c.start() },
		"after another's write": func(c *cluster) { drainertest.Change(c.Server, c.lease(), func(*coordinationv1.Lease) {}) },
	}
	for name, read := range reads {
		t.Run(name, func(t *testing.T) {
			inCluster(t, Medik8s, func(c *cluster) {
				c.create(drainertest.Hold{Name: "a"})
				for _, pod := range []string{"web-1", "web-2"} {
					c.Remove(drainertest.Get[*corev1.Pod](c.Server, drainertest.Namespace, pod))
				}
				c.wait(10 * time.Second)
				before := c.hold("a").Status
				c.Inject(drainertest.Failing("get", "leases", drainertest.NotYou("leases")))
				read(c)
				c.wait(10 * time.Minute)
				c.wantSaid(unreadable, "a")
				now := c.hold("a").Status
				if !now.StartTime.Equal(before.StartTime) || !now.DrainedTime.Equal(before.DrainedTime) || now.DrainedTime == nil {
					t.Errorf("the drain began at %v and was done at %v, want %v and %v",
						now.StartTime, now.DrainedTime, before.StartTime, before.DrainedTime)
				}
				c.Heal()
				c.wait(askInterval)
				c.wantSaid(said{Phase: v1beta1.PhaseSucceeded, Reason: v1beta1.ReasonCordoned}, "a")
				c.wantEvents("LeaseLost", 0, "MaintenanceFailed", 0, "CordonFailed", 0, "DrainRestarted", 0)
			})
		})
	}
}

func TestLeaseThatCannotBeReadCountsOnceOursHasEnded(t *testing.T) {
	inCluster(t, Medik8s, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon})
		c.stop()
		c.Inject(drainertest.Failing("get", "leases", drainertest.NotYou("leases")))
		c.start()
		c.wait(lasts - 2*margin)
		c.wantSaid(unreadable, "a")
		c.wait(2 * margin)
		c.wantSaid(lostFor(4), "a")
		want := `could not get lease medik8s-leases/node-worker-1: leases "x" is forbidden: not you; ` +
			"the server needs the rights that the chart's value nodeLeases.form gives; nothing is evicted from node worker-1, and it stays cordoned, until the lease is free"
		if got := c.says("a").Message; got != want {
			t.Errorf("the message is\n%s\nwant\n%s", got, want)
		}
		c.Heal()
		c.wait(askInterval)
		c.wantSaid(said{Phase: v1beta1.PhaseSucceeded, Reason: v1beta1.ReasonCordoned}, "a")
		renewed := c.lease().Spec.RenewTime.Time
		c.wantLease(c.lease().Spec.AcquireTime.Time, renewed, 0)
	})
}

func TestNodeIsNotGivenBackWhileAnotherHolderHasItsLease(t *testing.T) {
	const want = "can't update or invalidate the lease because it is held by different owner: node-healthcheck " +
		"(lease medik8s-leases/node-worker-1 of node-healthcheck, until 2000-01-01T00:30:03Z or longer); " +
		"node worker-1 is given back when the lease is free"
	frees := map[string]func(c *cluster){
		"freed":                  func(c *cluster) { c.free() },
		"expired":                func(c *cluster) { c.wait(25 * time.Minute) },
		"freed during a restart": func(c *cluster) { c.stop(); c.free(); c.start() },
	}
	ends := map[string]struct {
		end      func(c *cluster)
		wantStay bool
	}{
		"deleted": {end: func(c *cluster) { c.delete("a") }},
		"idle": {wantStay: true, end: func(c *cluster) {
			drainertest.Change(c.Server, c.hold("a"), drainertest.SetStage(v1beta1.StageIdle))
			drainertest.Change(c.Server, c.hold("a"), func(hold *v1beta1.NodeMaintenance) { hold.Generation++ })
			c.wait(time.Second)
		}},
	}
	for how, free := range frees {
		for name, test := range ends {
			t.Run(name+", "+how, func(t *testing.T) {
				inCluster(t, Medik8s, func(c *cluster) {
					c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon})
					c.steal(30 * time.Minute)
					test.end(c)
					c.wait(6 * time.Minute) // its conditions show that nothing is done with it
					node, written := c.node(), c.hold("a").ResourceVersion
					if got := c.hold("a").Status.LastError; got != want {
						t.Errorf("lastError is\n%s\nwant\n%s", got, want)
					}
					c.wantEvents("ReleaseFailed", 1, "ReleaseHeld", 0)
					c.wait(2 * time.Minute)
					if c.node() != node || c.hold("a").ResourceVersion != written {
						t.Error("the node or the hold was written while nothing happened")
					}
					c.wantNode(true)
					free(c)
					c.wait(2 * time.Second)
					c.wantNode(false)
					if stays := c.hold("a") != nil; stays != test.wantStay {
						t.Errorf("the hold stays: %t, want %t", stays, test.wantStay)
					} else if stays && c.hold("a").Status.LastError != "" {
						t.Errorf("lastError is still %q", c.hold("a").Status.LastError)
					}
					if c.lease() != nil {
						t.Errorf("the lease is there still: %v", c.lease().Spec)
					}
				})
			})
		}
	}
}

// A node that was marked and has no hold, after a restore of the store, is not given back either.
func TestNodeLeftBehindIsKeptWhileAnotherHolderHasItsLease(t *testing.T) {
	inCluster(t, Medik8s, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon})
		c.stop()
		c.Remove(c.hold("a"))
		c.steal(lasts)
		c.start()
		node := c.node()
		c.wait(10 * time.Minute)
		if diff := cmp.Diff(node, c.node()); diff != "" {
			t.Errorf("the node was touched (-before +after):\n%s", diff)
		}
		c.free()
		c.wait(2 * time.Second)
		c.wantNode(false)
		if c.lease() != nil {
			t.Errorf("the lease is there still: %v", c.lease().Spec)
		}
	})
}

// Of two that take a lease at once, one gets it.
func TestOnlyOneTakesALease(t *testing.T) {
	tests := map[string]struct {
		before func(c *cluster)
		verb   string
	}{
		"that does not exist": {before: func(*cluster) {}, verb: "create"},
		"that has expired":    {before: func(c *cluster) { c.steal(time.Second); c.wait(time.Second + clockSkew) }, verb: "update"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, Medik8s, func(c *cluster) {
				test.before(c)
				faster := false
				c.Inject(drainertest.Failing(test.verb, "leases", nil, func(clienttesting.Action) bool {
					if !faster {
						c.Store.Put(drainertest.Lease{Holder: healthCheck, Renewed: time.Now(), Lasts: lasts}.Object())
					}
					faster = true
					return false
				}))
				c.create(drainertest.Hold{Name: "a"})
				if !faster {
					t.Fatal("nobody was faster")
				}
				c.wantNode(false, 0, 0)
				if got := c.says("a").Reason; got != v1beta1.ReasonLeaseHeld {
					t.Errorf("the reason is %s, want %s", got, v1beta1.ReasonLeaseHeld)
				}
				if got := *c.lease().Spec.HolderIdentity; got != healthCheck {
					t.Errorf("%s has the lease", got)
				}
			})
		})
	}
}
