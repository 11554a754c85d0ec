// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package leadership

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	maintenancefake "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

const (
	leaseNamespace = "maintenance-system"
	leaseName      = "maintenance-apiserver"
	leaseDuration  = 15 * time.Second
	renewDeadline  = 10 * time.Second
	retryPeriod    = 2 * time.Second
)

// cluster is a simulated API server, with replicas.
type cluster struct {
	*drainertest.Server
	t *testing.T
}

// inCluster runs a test in a bubble of its own time. What is left running fails the test.
func inCluster(t *testing.T, test func(c *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(&cluster{Server: drainertest.NewServer(drainertest.Hooks{}), t: t})
	})
}

// replica is one process with an Elector.
type replica struct {
	*Elector
	c           *cluster
	name        string
	kube        *kubefake.Clientset
	maintenance *maintenancefake.Clientset
	// off says that no request arrives.
	off atomic.Bool
	// leads says that its work is being done.
	leads atomic.Bool
	// lingers is how long its work goes on after it was canceled.
	lingers time.Duration
	// failure is what its work ends with at once; nil: it works until it is canceled. unsure is what it ends with then.
	failure, unsure error
	// terms is how many times its work has begun.
	terms atomic.Int32
	stop  func()
}

var errCutOff = errors.New("no route to host")

func (c *cluster) newReplica(name string) *replica {
	c.t.Helper()
	r := &replica{c: c, name: name}
	r.kube, r.maintenance = c.Clients()
	for _, fake := range []*clienttesting.Fake{&r.kube.Fake, &r.maintenance.Fake} {
		fake.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
			return r.off.Load(), nil, errCutOff
		})
	}
	elector, err := New(Config{
		Client: r.kube, Watcher: r.kube, Namespace: leaseNamespace, Name: leaseName, Identity: name,
		LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod, Clock: clock.RealClock{},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	r.Elector = elector
	return r
}

// start runs the replica with this work until stop is called.
func (r *replica) start(work func(context.Context) error) *replica {
	logger := ktesting.NewLogger(r.c.t, ktesting.NewConfig(ktesting.Verbosity(2))).WithName(r.name)
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logger))
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx, work) })
	r.stop = func() {
		cancel()
		running.Wait()
	}
	return r
}

// work is done by replicas that drain nothing.
func (r *replica) work(ctx context.Context) error {
	r.leads.Store(true)
	r.terms.Add(1)
	defer r.leads.Store(false)
	if r.failure != nil {
		return r.failure
	}
	<-ctx.Done()
	time.Sleep(r.lingers)
	return r.unsure
}

// startReplica starts a replica that drains nothing.
func (c *cluster) startReplica(name string) *replica {
	c.t.Helper()
	r := c.newReplica(name)
	return r.start(r.work)
}

// wait lets time pass.
func (c *cluster) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// until waits until the condition is met, and returns how long that took.
func (c *cluster) until(what string, met func() bool) time.Duration {
	c.t.Helper()
	for began := time.Now(); ; c.wait(10 * time.Millisecond) {
		if met() {
			return time.Since(began)
		}
		if time.Since(began) > 10*time.Minute {
			c.t.Fatalf("it never happens: %s", what)
		}
	}
}

// lease is the lease as it is stored; nil if there is none.
func (c *cluster) lease() *coordinationv1.Lease {
	var lease *coordinationv1.Lease
	c.Locked(func() { lease = drainertest.Find[*coordinationv1.Lease](c.Store, leaseNamespace, leaseName) })
	return lease
}

// holder is who holds the lease; empty if nobody does.
func (c *cluster) holder() string {
	if lease := c.lease(); lease != nil {
		return ptr.Deref(lease.Spec.HolderIdentity, "")
	}
	return ""
}

// wantLeads compares who leads.
func (c *cluster) wantLeads(want map[*replica]bool) {
	c.t.Helper()
	for r, leads := range want {
		if got := r.leads.Load(); got != leads {
			c.t.Errorf("%s leads: %t, want %t", r.name, got, leads)
		}
	}
}
