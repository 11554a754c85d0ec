// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"io"
	"testing"

	corev1 "k8s.io/api/core/v1"
	appsv1listers "k8s.io/client-go/listers/apps/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/clusterwatch"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
)

// Which of a node's 500 pods a drain evicts.
func BenchmarkSelect500Pods(b *testing.B) {
	pods := drainertest.BenchPods(drainertest.NodeName, 500)
	selector := clusterwatch.PodSelector{
		DaemonSets: appsv1listers.NewDaemonSetLister(cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})),
	}
	for b.Loop() {
		uids, err := selector.Drainable(b.Context(), drainertest.NodeName, pods)
		if err != nil || len(uids) != len(pods) {
			b.Fatalf("%d pods, %v", len(uids), err)
		}
	}
}

// One look at each of 1,000 nodes under drain, with 30 pods each that wait for their budgets,
// when nothing is to be done.
func BenchmarkReconcile1000Nodes(b *testing.B) {
	c := newBenchCluster(b, 1000, 30)
	c.reconcileAll(b) // cordons the nodes and writes the status of their holds
	c.catchUp(b)
	c.reconcileAll(b)
	requests := len(c.Kube.Actions()) + len(c.Maintenance.Actions())
	for b.Loop() {
		c.reconcileAll(b)
	}
	if more := len(c.Kube.Actions()) + len(c.Maintenance.Actions()) - requests; more > 0 {
		b.Errorf("%d requests, though nothing was to be done", more)
	}
}

// benchCluster is a drainer that does not run; its caches show what they are told.
type benchCluster struct {
	*drainertest.Server
	leader *leader
	nodes  []string
}

func newBenchCluster(b *testing.B, nodes, pods int) *benchCluster {
	b.Helper()
	c := &benchCluster{Server: drainertest.NewServer(drainertest.Hooks{})}
	drainer, err := New(Config{
		Maintenance: c.Maintenance, Kube: c.Kube, Recorder: &record.FakeRecorder{}, StoreID: drainertest.StoreID,
	})
	if err != nil {
		b.Fatal(err)
	}
	c.leader = newLeader(drainer.config, drainer.watcher)
	for _, budget := range drainertest.BenchBudgets() {
		drainer.watcher.Budgets.Set(budget.Object(), drainertest.Epoch)
	}
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		c.nodes = append(c.nodes, name)
		c.Add(drainertest.Node{Name: name}.Object(), drainertest.Hold{Name: name, Node: name}.Object())
		c.watchPods(b, name, pods)
	}
	c.catchUp(b)
	return c
}

// watchPods has the drainer find the node's pods watched already.
func (c *benchCluster) watchPods(b *testing.B, node string, count int) {
	b.Helper()
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	for _, pod := range drainertest.BenchPods(node, count) {
		if err := store.Add(pod); err != nil {
			b.Fatal(err)
		}
	}
	c.leader.drains.pods.Preload(node, store, syncedChecker{})
}

type syncedChecker struct{}

func (syncedChecker) Name() string { return "synced" }

func (syncedChecker) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// catchUp brings the drainer's caches up to date.
func (c *benchCluster) catchUp(b *testing.B) {
	b.Helper()
	for _, name := range c.nodes {
		node := drainertest.Get[*corev1.Node](c.Server, "", name)
		hold := drainertest.Get[*v1beta1.NodeMaintenance](c.Server, "", name)
		for _, err := range []error{
			c.leader.watcher.Caches.Nodes.GetStore().Add(node.DeepCopy()),
			c.leader.watcher.Caches.Holds.GetStore().Add(hold.DeepCopy()),
		} {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func (c *benchCluster) reconcileAll(b *testing.B) {
	b.Helper()
	ctx := klog.NewContext(context.Background(),
		textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(io.Discard))))
	for _, node := range c.nodes {
		if did := c.leader.reconcile(ctx, node); did.err != nil {
			b.Fatal(did.err)
		}
	}
}
