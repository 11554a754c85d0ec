// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"

	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// cluster is a simulated API server with a drainer at work.
type cluster struct {
	*drainertest.Server
	t        *testing.T
	recorder *record.FakeRecorder
	config   Config
	drainer  *Drainer
	// admission is nil in a cluster without policies.
	admission *fakeAdmission
	stop      func()
}

func newCluster(t *testing.T, objects ...drainertest.Object) *cluster {
	t.Helper()
	c := &cluster{t: t, Server: drainertest.NewServer(drainertest.Hooks{}), recorder: record.NewFakeRecorder(10000)}
	c.config = Config{
		Maintenance: c.Maintenance, Kube: c.Kube, Evictions: typedEvicter{client: c.Kube},
		Recorder: c.recorder, StoreID: drainertest.StoreID,
	}
	c.Add(objects...)
	return c
}

// with builds a cluster of objects.
func with(objects ...drainertest.Object) func(t *testing.T) *cluster {
	return func(t *testing.T) *cluster { return newCluster(t, objects...) }
}

// inCluster runs a test in a bubble of its own time, with a drainer at work. What the drainer
// leaves running when it is stopped fails the test.
func inCluster(t *testing.T, c func(t *testing.T) *cluster, test func(c *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cluster := c(t)
		cluster.start()
		defer func() { cluster.stop() }()
		test(cluster)
	})
}

// start runs a drainer until stop is called.
func (c *cluster) start() {
	c.t.Helper()
	drainer, err := New(c.config)
	if err != nil {
		c.t.Fatal(err)
	}
	logger := ktesting.NewLogger(c.t, ktesting.NewConfig(ktesting.Verbosity(2)))
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logger))
	ended := make(chan struct{})
	go func() {
		drainer.Run(ctx, ctx)
		close(ended)
	}()
	c.drainer = drainer
	c.stop = func() {
		cancel()
		<-ended
		c.stop = func() {}
	}
	c.settle()
}

// settle lets everything happen that happens without the clock moving on, and a moment more:
// for retries after conflicts.
func (c *cluster) settle() {
	synctest.Wait()
	time.Sleep(500 * time.Millisecond)
	synctest.Wait()
}

// wait lets time pass.
func (c *cluster) wait(d time.Duration) {
	time.Sleep(d)
	c.settle()
}
