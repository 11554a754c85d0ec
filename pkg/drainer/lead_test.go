// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// inWatched runs a test in a bubble of its own time, with a drainer that watches and does not lead.
func inWatched(t *testing.T, test func(c *cluster), objects ...drainertest.Object) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, objects...)
		drainer, err := New(c.config)
		if err != nil {
			t.Fatal(err)
		}
		c.drainer = drainer
		ctx, cancel := context.WithCancel(context.Background())
		var watching sync.WaitGroup
		defer watching.Wait()
		defer cancel()
		watching.Go(func() { drainer.Watch(ctx) })
		c.settle()
		test(c)
	})
}

// lead has the drainer lead until end is called.
func (c *cluster) lead() (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- c.drainer.Lead(ctx) }()
	c.settle()
	return func() {
		c.t.Helper()
		cancel()
		if err := <-ended; err != nil {
			c.t.Errorf("Lead ended with %v", err)
		}
	}
}

// wantNoWrites wants nobody to have written anything but the test itself, and to have told of nothing.
func (c *cluster) wantNoWrites() {
	c.t.Helper()
	changes := map[string]bool{"create": true, "update": true, "patch": true, "delete": true}
	for _, actions := range [][]clienttesting.Action{c.Kube.Actions(), c.Maintenance.Actions()} {
		for _, action := range actions {
			if changes[action.GetVerb()] {
				c.t.Errorf("it made the request %s %s", action.GetVerb(), action.GetResource().Resource)
			}
		}
	}
	if events := c.events(); len(events) > 0 {
		c.t.Errorf("it told of %v", events)
	}
}

func TestWatchAnswersAndChangesNothing(t *testing.T) {
	inWatched(t, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.create(drainertest.Hold{Name: "brief", Stage: v1beta1.StageCordon, ExpirationSeconds: 60}.Object())
		c.delete("brief")
		c.drainer.Wake(drainertest.NodeName)
		c.changeNode(drainertest.NodeName, drainertest.Taint("x"))
		c.wait(time.Hour)

		if err := c.drainer.Ready(); err != nil {
			t.Errorf("Ready says %v", err)
		}
		if err := c.drainer.Healthy(); err != nil {
			t.Errorf("Healthy says %v", err)
		}
		if !c.drainer.HasNode(drainertest.NodeName) || c.drainer.HasNode("worker-9") {
			t.Error("HasNode does not know the nodes")
		}
		if node, err := c.drainer.Node(drainertest.NodeName); err != nil || node == nil || len(node.Spec.Taints) != 1 {
			t.Errorf("Node returns %+v, %v", node, err)
		}
		if node, err := c.drainer.Node("worker-9"); err != nil || node != nil {
			t.Errorf("Node returns %+v, %v for a node that does not exist", node, err)
		}
		if nodes, err := c.drainer.Nodes(); err != nil || len(nodes) != 3 {
			t.Errorf("Nodes returns %d nodes, %v", len(nodes), err)
		}
		c.wantPlanned(map[string]v1beta1.PlannedAction{
			"default/web-1": v1beta1.PlanEvict, "default/static": v1beta1.PlanStay,
		})
		c.wantNoWrites()
	}, drainertest.Node{}.Object(), drainertest.Node{Name: "worker-2"}.Object(),
		drainertest.Pod{Name: "web-1"}.Object(), drainertest.Pod{Name: "static", Mirror: true}.Object(),
		drainertest.Hold{Name: "early"}.Object(),
		drainertest.Node{Name: "left", HoldsNote: `{"storeID":"store-1"}`, Taints: []string{v1beta1.DrainTaint}}.Object())
}

// wantPlanned compares the plan of a hold that is not there.
func (c *cluster) wantPlanned(want map[string]v1beta1.PlannedAction) {
	c.t.Helper()
	for _, fresh := range []bool{false, true} {
		plan, err := c.drainer.Plan(c.t.Context(), drainertest.Hold{Name: "new"}.Object(), fresh)
		if err != nil {
			c.t.Fatal(err)
		}
		got := map[string]v1beta1.PlannedAction{}
		for _, pod := range plan.Pods {
			got[pod.Pod] = pod.Action
		}
		if diff := cmp.Diff(want, got); diff != "" {
			c.t.Errorf("plan (-want +got):\n%s", diff)
		}
	}
}

func TestLeadAgain(t *testing.T) {
	inWatched(t, func(c *cluster) {
		idle := readGauges(t)
		end := c.lead()
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 1, "kept-1": 0, "web-2": 0})
		c.wantGauges(idle, gauges{Draining: 1, Blocked: 1, LeftBehind: 1})
		end()
		c.wantGauges(idle, gauges{})

		// Between the two nobody does anything.
		c.Kube.ClearActions()
		c.Maintenance.ClearActions()
		c.events()
		c.finish("web-1")
		c.create(drainertest.Hold{Name: "b", Node: "worker-2"}.Object())
		c.drainer.Wake(drainertest.NodeName)
		c.drainer.Wake("worker-2")
		c.wait(time.Hour)
		c.wantNoWrites()
		if err := c.drainer.Healthy(); err != nil {
			t.Errorf("while it does not lead: %v", err)
		}

		end = c.lead()
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 1, "kept-1": 0, "web-2": 1})
		c.wantCordoned("worker-2", true)
		c.wantGauges(idle, gauges{Draining: 2, Blocked: 1, LeftBehind: 1})
		c.finish("web-2")
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("b", v1beta1.PhaseSucceeded)
		c.wantCounts("a", counts{Total: 2, Evicted: 2, Pending: 1, Progress: 50})
		c.delete("a")
		c.wantNoHold("a")
		c.wantCordoned(drainertest.NodeName, false)
		end()
		c.wantGauges(idle, gauges{})
		if err := c.drainer.Ready(); err != nil {
			t.Errorf("after it has led: %v", err)
		}
	}, drainertest.Node{}.Object(), drainertest.Node{Name: "worker-2"}.Object(),
		drainertest.Pod{Name: "web-1"}.Object(), drainertest.Pod{Name: "kept-1", App: "kept"}.Object(),
		drainertest.Pod{Name: "web-2", Node: "worker-2"}.Object(),
		drainertest.Budget{Name: "kept", App: "kept", Desired: 1, Healthy: 1, Expected: 2}.Object(),
		drainertest.Node{Name: "left", HoldsNote: `{"storeID":"store-2"}`, Taints: []string{v1beta1.DrainTaint}}.Object())
}

// A second leader does not lead on a watch that has ended.
func TestLeadWithoutWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, drainertest.Node{}.Object())
		c.start()
		c.stop()
		if err := c.drainer.Lead(t.Context()); err == nil {
			t.Error("it leads although Watch has ended")
		}
	})
}

// gauges are how many nodes are being drained and left behind, and how many pods a budget blocks.
type gauges struct{ Draining, Blocked, LeftBehind float64 }

// readGauges reads what all tests so far have left.
func readGauges(t *testing.T) gauges {
	t.Helper()
	read := func(gauge metrics.GaugeMetric) float64 {
		value, err := testutil.GetGaugeMetricValue(gauge)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	return gauges{
		Draining: read(nodesDraining), LeftBehind: read(nodesLeftBehind),
		Blocked: read(blockedPods.WithLabelValues(string(v1beta1.BlockerDisruptionBudget))),
	}
}

// wantGauges compares what was added to the gauges since they were idle.
func (c *cluster) wantGauges(idle, want gauges) {
	c.t.Helper()
	got := readGauges(c.t)
	got = gauges{
		Draining: got.Draining - idle.Draining, Blocked: got.Blocked - idle.Blocked,
		LeftBehind: got.LeftBehind - idle.LeftBehind,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("gauges (-want +got):\n%s", diff)
	}
}
