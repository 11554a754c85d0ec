// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

func TestOneLeads(t *testing.T) {
	inCluster(t, func(c *cluster) {
		a := c.startReplica("a")
		defer func() { a.stop() }()
		c.wait(time.Second)
		b := c.startReplica("b")
		defer func() { b.stop() }()
		c.wait(10 * time.Minute)
		c.wantLeads(map[*replica]bool{a: true, b: false})
		if holder := c.holder(); holder != "a" || a.terms.Load() != 1 || b.terms.Load() != 0 {
			t.Errorf("%s holds the lease after %d terms of a, %d of b", holder, a.terms.Load(), b.terms.Load())
		}
	})
}

func TestFailover(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(a *replica)
		want time.Duration
	}{
		"it stops": {func(a *replica) { a.stop() }, 50 * time.Millisecond},
		// The lease is as old as it gets, just before it would have been renewed; the other half of the range is sooner.
		"it is killed":  {func(a *replica) { a.off.Store(true); a.stop() }, leaseDuration + 100*time.Millisecond},
		"it is cut off": {func(a *replica) { a.off.Store(true) }, leaseDuration + 100*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			for phase := range 8 {
				inCluster(t, func(c *cluster) {
					a := c.startReplica("a")
					c.wait(time.Second)
					b := c.startReplica("b")
					defer func() { b.stop() }()
					c.wait(time.Minute + time.Duration(phase)*retryPeriod/8)
					go test.end(a)
					if took := c.until("b leads", b.leads.Load); took > test.want {
						t.Errorf("b leads after %s, want at most %s", took, test.want)
					}
					c.wantLeads(map[*replica]bool{a: false, b: true})
					a.stop()
				})
			}
		})
	}
}

// Who takes the lease knows whether the last leader has ended in order. A process that has certainly ended is not waited
// for, even if it did not release its lease.
func TestEndOfTheLastLeader(t *testing.T) {
	killed := func(a *replica) { a.off.Store(true); a.stop() }
	for name, test := range map[string]struct {
		end            func(a *replica)
		former         string
		wantWait       bool
		wantHandedOver bool
	}{
		"it stops":                           {end: func(a *replica) { a.stop() }, wantHandedOver: true},
		"it stops, and is not sure":          {end: func(a *replica) { a.unsure = errors.New("no answer yet"); a.stop() }, wantWait: true},
		"it is killed":                       {end: killed, wantWait: true},
		"it is killed, in the same pod":      {end: killed, former: "pod-1_uid-1_"},
		"it is killed, in a pod of the name": {end: killed, former: "pod-1_uid-2_", wantWait: true},
		"its lease is deleted":               {end: func(a *replica) { a.stop(); a.c.Remove(a.c.lease()) }},
	} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(c *cluster) {
				a, b := c.startReplica("pod-1_uid-1_a"), c.newReplica("b")
				b.lock.former = test.former
				c.wait(time.Minute)
				test.end(a)
				b.start(b.work)
				defer func() { b.stop() }()
				if took := c.until("b leads", b.leads.Load); took < leaseDuration-retryPeriod == test.wantWait {
					t.Errorf("b leads after %s; want it to wait for the end of the lease: %t", took, test.wantWait)
				}
				if got := b.HandedOver(); got != test.wantHandedOver {
					t.Errorf("the lease was handed over: %t, want %t", got, test.wantHandedOver)
				}
			})
		})
	}
}

// A leader that is cut off stops when its lease is older than the renew deadline, and stands again when it can.
func TestCutOffLeaderStandsAgain(t *testing.T) {
	inCluster(t, func(c *cluster) {
		a := c.startReplica("a")
		defer func() { a.stop() }()
		c.wait(time.Minute)
		a.off.Store(true)
		if took := c.until("a stops", func() bool { return !a.leads.Load() }); took > renewDeadline || took < renewDeadline-retryPeriod {
			t.Errorf("a stops after %s, want between %s and %s", took, renewDeadline-retryPeriod, renewDeadline)
		}
		if _, err := a.Fence().check(); !errors.Is(err, ErrNotLeading) || !errors.Is(err, errNotRenewed) {
			t.Errorf("the fence says %v", err)
		}
		c.wait(time.Hour)
		if err := a.Healthy(); err != nil {
			t.Errorf("while the API server is away: %v", err)
		}
		a.off.Store(false)
		c.until("a leads again", a.leads.Load)
	})
}

// The lease is released only when the work has ended.
func TestReleaseWaitsForWork(t *testing.T) {
	inCluster(t, func(c *cluster) {
		a := c.newReplica("a")
		a.lingers = 3 * time.Second
		a.start(a.work)
		c.wait(time.Second)
		b := c.startReplica("b")
		defer func() { b.stop() }()
		c.wait(time.Minute)
		stopped := make(chan struct{})
		go func() {
			a.stop()
			close(stopped)
		}()
		c.wait(2900 * time.Millisecond)
		c.wantLeads(map[*replica]bool{a: true, b: false})
		if _, err := a.Fence().check(); err != nil {
			t.Errorf("while the work ends, the fence is closed: %v", err)
		}
		if took := c.until("b leads", b.leads.Load); took > 200*time.Millisecond {
			t.Errorf("b leads %s after that, want 0.1s", took)
		}
		c.wantLeads(map[*replica]bool{a: false, b: true})
		<-stopped
	})
}

// Work that does not end keeps the lease from being released, and this replica from standing again.
func TestWorkThatDoesNotEnd(t *testing.T) {
	inCluster(t, func(c *cluster) {
		a := c.newReplica("a")
		a.lingers = 10 * time.Minute
		a.start(a.work)
		c.wait(time.Minute)
		a.off.Store(true)
		c.wait(time.Minute)
		a.off.Store(false)
		if err := a.Healthy(); err != nil {
			t.Errorf("50 s after the term is over: %v", err)
		}
		c.wait(30 * time.Second)
		if err := a.Healthy(); err == nil || !strings.Contains(err.Error(), "still works 1m20s") {
			t.Errorf("80 s after the term is over: %v", err)
		}
		if _, err := a.Fence().check(); err == nil || a.terms.Load() != 1 {
			t.Errorf("after %d terms, the fence says %v", a.terms.Load(), err)
		}
		c.wait(10 * time.Minute)
		if err := a.Healthy(); err != nil || a.terms.Load() != 2 {
			t.Errorf("after %d terms: %v", a.terms.Load(), err)
		}
		a.stop()
	})
}

// A replica whose work fails lets others lead.
func TestWorkThatFails(t *testing.T) {
	inCluster(t, func(c *cluster) {
		a := c.newReplica("a")
		a.failure = errors.New("no drains today")
		a.start(a.work)
		defer func() { a.stop() }()
		c.wait(time.Minute)
		if terms := a.terms.Load(); terms < 10 || terms > 31 {
			t.Errorf("it led %d times in a minute", terms)
		}
		b := c.startReplica("b")
		defer func() { b.stop() }()
		c.wait(time.Minute)
		c.wantLeads(map[*replica]bool{a: false, b: true})
	})
}

// A process that starts again with the same lease never takes it before it has ended.
func TestIdentities(t *testing.T) {
	first, err := NewIdentity("pod-1")
	if err != nil {
		t.Fatal(err)
	}
	second, err := NewIdentity("pod-1")
	if err != nil {
		t.Fatal(err)
	}
	host, err := NewIdentity("")
	if err != nil {
		t.Fatal(err)
	}
	if first == second || !strings.HasPrefix(first, "pod-1_") || strings.HasPrefix(host, "_") {
		t.Errorf("the identities are %q, %q and %q", first, second, host)
	}
}

func TestElectionIsTold(t *testing.T) {
	inCluster(t, func(c *cluster) {
		a := c.startReplica("a")
		c.wait(time.Minute)
		a.off.Store(true)
		c.wait(time.Minute)
		a.off.Store(false)
		c.wait(time.Minute)
		a.stop()
		told := map[string]int{}
		c.Locked(func() {
			for _, event := range drainertest.All[*corev1.Event](c.Store) {
				if event.InvolvedObject.Kind == "Lease" && event.InvolvedObject.Name == leaseName && event.Namespace == leaseNamespace {
					told[event.Message]++
				}
			}
		})
		if told["a became leader"] == 0 || told["a stopped leading"] == 0 {
			t.Errorf("told %v", told)
		}
	})
}
