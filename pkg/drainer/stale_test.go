// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// stuckCaches builds a drainer whose caches show what the API holds now, and will ever after.
func stuckCaches(t *testing.T, c *cluster) *Drainer {
	t.Helper()
	d, err := New(c.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.queue.ShutDown()
		d.pods.close()
	})
	if err := d.caches.nodes.GetIndexer().Add(c.node(testNode).DeepCopy()); err != nil {
		t.Fatal(err)
	}
	holds, err := c.maintenance.MaintenanceV1beta1().NodeMaintenances().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range holds.Items {
		if err := d.caches.holds.GetIndexer().Add(&holds.Items[i]); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func writes(actions []clienttesting.Action) int {
	count := 0
	for _, action := range actions {
		if verb := action.GetVerb(); verb == "update" || verb == "patch" || verb == "create" {
			count++
		}
	}
	return count
}

func TestStaleCacheNeverRecordsTheCordonAsBefore(t *testing.T) {
	for name, forgetful := range map[string]bool{"same process": false, "restarted process": true} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, makeNode(testNode), makeHold("a", stage(v1beta1.StageCordon)))
			d := stuckCaches(t, c)
			if _, err := d.reconcile(t.Context(), testNode); err != nil {
				t.Fatal(err)
			}
			c.wantCordoned(testNode, true)
			c.wantPhase("a", v1beta1.PhaseSucceeded)
			kubeWrites, holdWrites := writes(c.kube.Actions()), writes(c.maintenance.Actions())
			for range 3 {
				if forgetful {
					d.memory = newMemory()
				}
				if _, err := d.reconcile(t.Context(), testNode); err != nil && !againLater(err) {
					t.Errorf("the stale cache ends in %v", err)
				}
			}
			if before := c.hold("a").Status.NodeBefore; before.Unschedulable || len(before.Taints) > 0 || len(before.Labels) > 0 {
				t.Errorf("nodeBefore is now %+v, want the node before the cordon", before)
			}
			if !forgetful {
				if k, h := writes(c.kube.Actions()), writes(c.maintenance.Actions()); k != kubeWrites || h != holdWrites {
					t.Errorf("%d and %d writes for what was written already", k-kubeWrites, h-holdWrites)
				}
			}
		})
	}
}

func TestLaterHoldCopiesBeforeThatTheCacheDoesNotShow(t *testing.T) {
	c := newCluster(t, makeNode(testNode), makeHold("a", stage(v1beta1.StageCordon)))
	d := stuckCaches(t, c)
	if _, err := d.reconcile(t.Context(), testNode); err != nil {
		t.Fatal(err)
	}
	// The cache of another process shows hold b, but neither what hold a has recorded nor the
	// cordon. Hold a is being deleted, so that b is the only one to write.
	c.add(makeHold("b", stage(v1beta1.StageCordon)))
	d.memory = newMemory()
	if err := d.caches.holds.GetIndexer().Add(c.hold("b").DeepCopy()); err != nil {
		t.Fatal(err)
	}
	if err := d.caches.holds.GetIndexer().Delete(c.hold("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.reconcile(t.Context(), testNode); err != nil && !againLater(err) {
		t.Fatal(err)
	}
	if before := c.hold("b").Status.NodeBefore; before == nil || before.Unschedulable {
		t.Errorf("hold b recorded %+v, want what hold a recorded", before)
	}
}

func TestReleaseIsConfirmedByAFreshList(t *testing.T) {
	c := newCluster(t, makeNode(testNode), makeHold("a", stage(v1beta1.StageCordon)))
	d := stuckCaches(t, c)
	if _, err := d.reconcile(t.Context(), testNode); err != nil {
		t.Fatal(err)
	}
	// The cache shows hold a being deleted, but not hold b yet.
	c.add(makeHold("b", stage(v1beta1.StageCordon)))
	gone := c.hold("a").DeepCopy()
	released(gone)
	if err := d.caches.holds.GetIndexer().Update(gone); err != nil {
		t.Fatal(err)
	}
	d.memory = newMemory()
	if _, err := d.reconcile(t.Context(), testNode); !againLater(err) {
		t.Errorf("got %v, want to be called again", err)
	}
	c.wantCordoned(testNode, true)
}

func TestReleaseSeesACordonThatTheCacheDoesNotShow(t *testing.T) {
	c := newCluster(t, makeNode(testNode), makeHold("a", stage(v1beta1.StageCordon)))
	d := stuckCaches(t, c)
	if _, err := d.reconcile(t.Context(), testNode); err != nil {
		t.Fatal(err)
	}
	gone := c.hold("a").DeepCopy()
	released(gone)
	if err := c.maintenance.Tracker().Update(holdsResource, c.stamp(gone), ""); err != nil {
		t.Fatal(err)
	}
	if err := d.caches.holds.GetIndexer().Update(gone); err != nil {
		t.Fatal(err)
	}
	d.memory = newMemory()
	if _, err := d.reconcile(t.Context(), testNode); err != nil {
		t.Fatal(err)
	}
	c.wantCordoned(testNode, false)
	c.wantNoHold("a")
}

// A status that was stored although its write failed, and that is out of date by now, is found
// when the cache has caught up: no event of a status wakes the engine.
func TestWriteThatMayHaveBeenMadeIsLookedAtAgain(t *testing.T) {
	c := newCluster(t, makeNode(testNode), makeHold("a", stage(v1beta1.StageIdle)))
	d := stuckCaches(t, c)
	h, memory := newHold(c.hold("a")), &holdMemory{}
	if wait, err := d.saveStatus(t.Context(), h, memory, h.Status, true); wait != 0 || err != nil {
		t.Errorf("a status that is as it should be is looked at again after %s (%v)", wait, err)
	}
	c.maintenance.PrependReactor("update", "nodemaintenances", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("connection reset by peer")
	})
	next := h.Status
	next.LastError = "no answer"
	if _, err := d.saveStatus(t.Context(), h, memory, next, true); err == nil {
		t.Fatal("the write did not fail")
	}
	if wait, err := d.saveStatus(t.Context(), h, memory, h.Status, true); wait <= 0 || wait > unsureLasts || err != nil {
		t.Errorf("what may have been written is looked at again after %s (%v), want within %s", wait, err, unsureLasts)
	}
}
