// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// stuckCaches is a process whose drainer never runs, and whose caches show this node and these holds
// for ever.
func stuckCaches(t *testing.T, c *cluster, node *corev1.Node, holds ...*v1beta1.NodeMaintenance) *leader {
	t.Helper()
	d, err := New(c.config)
	if err != nil {
		t.Fatal(err)
	}
	l := newLeader(d.config, d.watcher)
	t.Cleanup(func() {
		l.queue.ShutDown()
		l.drains.close()
	})
	if err := d.watcher.Caches.Nodes.GetIndexer().Add(node.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	for _, hold := range holds {
		if err := d.watcher.Caches.Holds.GetIndexer().Add(hold.DeepCopy()); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func isWrite(action clienttesting.Action) bool {
	verb := action.GetVerb()
	return verb == "update" || verb == "patch" || verb == "create"
}

func writes(actions []clienttesting.Action) int {
	return len(slices.DeleteFunc(actions, func(action clienttesting.Action) bool { return !isWrite(action) }))
}

func TestStaleCacheNeverRecordsTheCordonAsBefore(t *testing.T) {
	for name, forgetful := range map[string]bool{"same process": false, "restarted process": true} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, drainertest.Node{}.Object(),
				drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
			node, hold := c.node(drainertest.NodeName), c.hold("a")
			d := stuckCaches(t, c, node, hold)
			if err := d.reconcile(t.Context(), drainertest.NodeName).err; err != nil {
				t.Fatal(err)
			}
			c.wantCordoned(drainertest.NodeName, true)
			c.wantPhase("a", v1beta1.PhaseSucceeded)
			kubeWrites, holdWrites := writes(c.Kube.Actions()), writes(c.Maintenance.Actions())
			for range 3 {
				if forgetful {
					d = stuckCaches(t, c, node, hold)
				}
				if err := d.reconcile(t.Context(), drainertest.NodeName).err; err != nil && !againLater(err) {
					t.Errorf("the stale cache ends in %v", err)
				}
			}
			want := &v1beta1.NodeBefore{AddedTaints: []string{v1beta1.DrainTaint + ":NoSchedule"}} // the node before the cordon
			if diff := cmp.Diff(want, c.hold("a").Status.NodeBefore, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("nodeBefore (-want +got):\n%s", diff)
			}
			if !forgetful {
				if k, h := writes(c.Kube.Actions()), writes(c.Maintenance.Actions()); k != kubeWrites || h != holdWrites {
					t.Errorf("%d and %d writes for what was written already", k-kubeWrites, h-holdWrites)
				}
			}
		})
	}
}

func TestLaterHoldCopiesBeforeThatTheCacheDoesNotShow(t *testing.T) {
	c := newCluster(t, drainertest.Node{}.Object(), drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
	node := c.node(drainertest.NodeName)
	d := stuckCaches(t, c, node, c.hold("a"))
	if err := d.reconcile(t.Context(), drainertest.NodeName).err; err != nil {
		t.Fatal(err)
	}
	// The cache of another process shows hold b, but neither what hold a has recorded nor the
	// cordon. Hold a is being deleted, so that b is the only one to write.
	c.Add(drainertest.Hold{Name: "b", Stage: v1beta1.StageCordon}.Object())
	d = stuckCaches(t, c, node, c.hold("b"))
	if err := d.reconcile(t.Context(), drainertest.NodeName).err; err != nil && !againLater(err) {
		t.Fatal(err)
	}
	if before := c.hold("b").Status.NodeBefore; before == nil || before.Unschedulable {
		t.Errorf("hold b recorded %+v, want what hold a recorded", before)
	}
}

func TestReleaseIsConfirmedByAFreshList(t *testing.T) {
	c := newCluster(t, drainertest.Node{}.Object(), drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
	node := c.node(drainertest.NodeName)
	d := stuckCaches(t, c, node, c.hold("a"))
	if err := d.reconcile(t.Context(), drainertest.NodeName).err; err != nil {
		t.Fatal(err)
	}
	// The cache shows hold a being deleted, but not hold b yet.
	c.Add(drainertest.Hold{Name: "b", Stage: v1beta1.StageCordon}.Object())
	gone := c.hold("a").DeepCopy()
	drainertest.Release(gone)
	d = stuckCaches(t, c, node, gone)
	if err := d.reconcile(t.Context(), drainertest.NodeName).err; !againLater(err) {
		t.Errorf("got %v, want to be called again", err)
	}
	c.wantCordoned(drainertest.NodeName, true)
}

func TestReleaseSeesACordonThatTheCacheDoesNotShow(t *testing.T) {
	c := newCluster(t, drainertest.Node{}.Object(), drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
	node := c.node(drainertest.NodeName)
	d := stuckCaches(t, c, node, c.hold("a"))
	if err := d.reconcile(t.Context(), drainertest.NodeName).err; err != nil {
		t.Fatal(err)
	}
	gone := c.hold("a").DeepCopy()
	drainertest.Release(gone)
	c.Replace(gone)
	d = stuckCaches(t, c, node, c.hold("a"))
	if err := d.reconcile(t.Context(), drainertest.NodeName).err; err != nil {
		t.Fatal(err)
	}
	c.wantCordoned(drainertest.NodeName, false)
	c.wantNoHold("a")
}

// A status that was stored although its write failed, and that is out of date by now, is found
// when the cache has caught up: no event of a status wakes the engine.
func TestWriteThatMayHaveBeenMadeIsLookedAtAgain(t *testing.T) {
	c := newCluster(t, drainertest.Node{}.Object(), drainertest.Hold{Name: "a", Stage: v1beta1.StageIdle}.Object())
	d := stuckCaches(t, c, c.node(drainertest.NodeName), c.hold("a"))
	h := holdstatus.NewHold(c.hold("a"), &holdstatus.HoldMemory{}, drainertest.Epoch)
	if did := d.holds.save(t.Context(), h, h.Status, true); did.again != 0 || did.err != nil {
		t.Errorf("a status that is as it should be is looked at again after %s (%v)", did.again, did.err)
	}
	c.Inject(drainertest.Failing("update", "nodemaintenances", errors.New("connection reset by peer")))
	next := h.Status
	next.LastError = "no answer"
	if did := d.holds.save(t.Context(), h, next, true); did.err == nil {
		t.Fatal("the write did not fail")
	}
	if did := d.holds.save(t.Context(), h, h.Status, true); did.again <= 0 || did.again > holdstatus.UnsureLasts || did.err != nil {
		t.Errorf("what may have been written is looked at again after %s (%v), want within %s", did.again, did.err,
			holdstatus.UnsureLasts)
	}
}

// A hold that was deleted when its time was over is not deleted again while the cache still shows it.
func TestStaleCacheDeletesAnExpiredHoldOnce(t *testing.T) {
	for name, stage := range map[string]v1beta1.MaintenanceStage{"idle": v1beta1.StageIdle, "drain": v1beta1.StageDrain} {
		t.Run(name, func(t *testing.T) {
			created := time.Now().Add(-time.Minute)
			c := newCluster(t, drainertest.Node{}.Object(),
				drainertest.Hold{Name: "a", Stage: stage, Created: created, ExpirationSeconds: 1}.Object())
			d := stuckCaches(t, c, c.node(drainertest.NodeName), c.hold("a"))
			for range 3 {
				d.reconcile(t.Context(), drainertest.NodeName)
			}
			deletes := slices.DeleteFunc(c.Maintenance.Actions(), func(action clienttesting.Action) bool { return action.GetVerb() != "delete" })
			if len(deletes) != 1 {
				t.Errorf("%d deletes, want 1", len(deletes))
			}
		})
	}
}
