// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"fmt"
	"io"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	kubefake "k8s.io/client-go/kubernetes/fake"
	appsv1listers "k8s.io/client-go/listers/apps/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	maintenancefake "github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
)

// benchBudgets is how many disruption budgets a namespace has in the benchmarks.
const benchBudgets = 20

// benchPods builds pods of one node, of as many apps as there are budgets.
func benchPods(node string, count int) []*corev1.Pod {
	pods := make([]*corev1.Pod, 0, count)
	for i := range count {
		pods = append(pods, makePod(fmt.Sprintf("%s-%d", node, i), on(node), app(fmt.Sprintf("app%d", i%benchBudgets))))
	}
	return pods
}

// fullBook has a budget for each of the apps, which waits for a pod to become healthy.
func fullBook() *budgetBook {
	budgets := make([]*policyv1.PodDisruptionBudget, 0, benchBudgets)
	for i := range benchBudgets {
		name := fmt.Sprintf("app%d", i)
		budgets = append(budgets, makeBudget(name, name, 99, 99, 100, 0))
	}
	return makeBook(budgets...)
}

// Which of a node's 500 pods a drain evicts.
func BenchmarkSelect500Pods(b *testing.B) {
	pods := benchPods(testNode, 500)
	selector := podSelector{daemonSets: appsv1listers.NewDaemonSetLister(cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{}))}
	for b.Loop() {
		uids, err := selector.drainable(b.Context(), testNode, pods)
		if err != nil || len(uids) != len(pods) {
			b.Fatalf("%d pods, %v", len(uids), err)
		}
	}
}

// What is to happen with each of a node's 500 pods, which 20 budgets hold back.
func BenchmarkPlan500Pods(b *testing.B) {
	pods := benchPods(testNode, 500)
	drainable := sets.New[types.UID]()
	for _, pod := range pods {
		drainable.Insert(pod.UID)
	}
	holds, _ := newHolds([]*v1beta1.NodeMaintenance{makeHold("a")})
	in := planInput{node: testNode, pods: pods, drainable: drainable, holds: holds, budgets: fullBook(), now: epoch}
	for b.Loop() {
		if plan := makePlan(in); len(plan.evictions()) != len(pods) {
			b.Fatalf("%d evictions", len(plan.evictions()))
		}
	}
}

// One look at 10,000 queued evictions of 100 nodes, none of which may be posted: what every
// change of a budget costs at worst.
func BenchmarkDispatch10000Evictions(b *testing.B) {
	d := newDispatcher(clock.RealClock{}, newFakeEvicter(), fullBook(), DefaultEvictionsInFlight, func(string) {})
	for i := range 100 {
		node := fmt.Sprintf("n%d", i)
		pods := benchPods(node, 100)
		evictions := make([]eviction, 0, len(pods))
		for _, pod := range pods {
			evictions = append(evictions, eviction{pod: pod})
		}
		d.want(node, evictions, len(evictions), pods)
	}
	for b.Loop() {
		d.dispatch(b.Context())
	}
	if d.inFlight.Len() > 0 {
		b.Fatal("an eviction was posted")
	}
}

// One look at each of 1,000 nodes under drain, with 30 pods each that wait for their budgets,
// when nothing is to be done.
func BenchmarkReconcile1000Nodes(b *testing.B) {
	c := newBenchCluster(b, 1000, 30)
	c.reconcileAll(b) // cordons the nodes and writes the status of their holds
	c.catchUp(b)
	c.reconcileAll(b)
	requests := len(c.kube.Actions()) + len(c.maintenance.Actions())
	for b.Loop() {
		c.reconcileAll(b)
	}
	if more := len(c.kube.Actions()) + len(c.maintenance.Actions()) - requests; more > 0 {
		b.Errorf("%d requests, though nothing was to be done", more)
	}
}

// benchCluster is a drainer that does not run; its caches show what they are told.
type benchCluster struct {
	drainer     *Drainer
	kube        *kubefake.Clientset
	maintenance *maintenancefake.Clientset
	nodes       []string
}

func newBenchCluster(b *testing.B, nodes, pods int) *benchCluster {
	b.Helper()
	c := &benchCluster{kube: kubefake.NewSimpleClientset(), maintenance: maintenancefake.NewSimpleClientset()}
	c.maintenance.PrependReactor("list", "nodemaintenances", c.listHolds)
	drainer, err := New(Config{Maintenance: c.maintenance, Kube: c.kube, Recorder: &record.FakeRecorder{}, StoreID: testStoreID})
	if err != nil {
		b.Fatal(err)
	}
	c.drainer = drainer
	c.drainer.budgets = fullBook()
	c.drainer.dispatcher.budgets = c.drainer.budgets
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		c.nodes = append(c.nodes, name)
		for _, err := range []error{c.kube.Tracker().Add(makeNode(name)), c.maintenance.Tracker().Add(makeHold(name, forNode(name)))} {
			if err != nil {
				b.Fatal(err)
			}
		}
		c.watchPods(b, name, pods)
	}
	c.catchUp(b)
	return c
}

// listHolds answers for one node, as the API server does; each hold is named like its node.
func (c *benchCluster) listHolds(action clienttesting.Action) (bool, runtime.Object, error) {
	node, _ := action.(clienttesting.ListAction).GetListRestrictions().Fields.RequiresExactMatch(v1beta1.FieldNodeName)
	object, err := c.maintenance.Tracker().Get(holdsResource, "", node)
	if err != nil {
		return true, nil, err
	}
	return true, &v1beta1.NodeMaintenanceList{Items: []v1beta1.NodeMaintenance{*object.(*v1beta1.NodeMaintenance)}}, nil
}

// watchPods has the drainer find the node's pods watched already.
func (c *benchCluster) watchPods(b *testing.B, node string, count int) {
	b.Helper()
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	for _, pod := range benchPods(node, count) {
		if err := store.Add(pod); err != nil {
			b.Fatal(err)
		}
	}
	c.drainer.pods.watches[node] = &podWatch{stop: func() {}, store: store, synced: syncedChecker{}}
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
		node, err := c.kube.Tracker().Get(nodesResource, "", name)
		if err == nil {
			err = c.drainer.caches.nodes.GetStore().Add(node)
		}
		if err != nil {
			b.Fatal(err)
		}
		hold, err := c.maintenance.Tracker().Get(holdsResource, "", name)
		if err == nil {
			err = c.drainer.caches.holds.GetStore().Add(hold)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func (c *benchCluster) reconcileAll(b *testing.B) {
	b.Helper()
	ctx := klog.NewContext(context.Background(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(io.Discard))))
	for _, node := range c.nodes {
		if _, err := c.drainer.reconcile(ctx, node); err != nil {
			b.Fatal(err)
		}
	}
}
