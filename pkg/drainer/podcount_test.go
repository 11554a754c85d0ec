// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

func TestTotalPodsAreThoseOfTheBeginning(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
		drainertest.Pod{Name: "web-2"}.Object(), drainertest.Pod{Name: "db-1", App: "db"}.Object(),
		drainertest.Pod{Name: "static", Mirror: true}.Object(),
		drainertest.Budget{Name: "web", Desired: 2, Healthy: 2, Expected: 2}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.create(drainertest.Hold{Name: "db", SelectApp: "db"}.Object())
		c.wait(holdstatus.WriteInterval)
		c.wantCounts("a", counts{Total: 4, Evicted: 3, Pending: 3})
		c.wantCounts("db", counts{Total: 4, Evicted: 1, Pending: 1})

		c.finish("db-1")
		c.wait(holdstatus.WriteInterval)
		c.wantCounts("a", counts{Total: 4, Evicted: 3, Pending: 2, Progress: 33})
		c.wantCounts("db", counts{Total: 4, Evicted: 1, Progress: 100})
		c.stop()
		c.start()
		c.finish("web-1")
		c.wait(holdstatus.WriteInterval)
		c.wantCounts("a", counts{Total: 4, Evicted: 3, Pending: 1, Progress: 66})

		// The next drain counts anew, with what stays.
		c.change("a", drainertest.SetStage(v1beta1.StageCordon))
		c.wait(holdstatus.WriteInterval)
		c.wantCounts("a", counts{})
		c.change("a", drainertest.SetStage(v1beta1.StageDrain))
		c.wait(holdstatus.WriteInterval)
		c.wantCounts("a", counts{Total: 2, Evicted: 1, Pending: 1})

		// A pod that comes to a drained node begins another drain.
		c.finish("web-2")
		c.wait(holdstatus.WriteInterval)
		c.wantCounts("a", counts{Total: 2, Evicted: 1, Progress: 100})
		c.Add(drainertest.Pod{Name: "static-2", Mirror: true}.Object())
		c.wait(holdstatus.WriteInterval)
		c.Add(drainertest.Pod{Name: "web-3"}.Object())
		c.wait(holdstatus.WriteInterval)
		c.wantCounts("a", counts{Total: 3, Evicted: 1, Pending: 1})
	})
}

// A node is gone before the status of a drain that has just begun is seen: the drain of the next node of
// that name counts none of its pods.
func TestCountStartsAnewWithANewNode(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
		drainertest.Budget{Name: "web", Desired: 1, Healthy: 1, Expected: 2}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "other"}.Object())
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
		c.wait(holdstatus.WriteInterval)
		c.change("a", drainertest.SetStage(v1beta1.StageDrain))
		c.wantCounts("a", counts{Total: 1, Evicted: 1, Pending: 1})
		c.Remove(c.node(drainertest.NodeName))
		c.finish("web-1")
		c.wait(holdstatus.WriteInterval)
		c.wantCounts("a", counts{})
		// Its pods are known only after the drain has begun.
		c.Inject(drainertest.Failing("list", "pods", drainertest.ServerDown()))
		c.Add(drainertest.Node{UID: "another"}.Object())
		c.wait(holdstatus.WriteInterval)
		c.Heal()
		c.wait(time.Minute)
		c.wantCounts("a", counts{Progress: 100})
	})
}

// told is what one written status says of a drain.
type told struct {
	Start             metav1.Time
	Evicted, Progress int32
	Drained           bool
}

// A drain is done, and a pod comes, while the rate limit holds the status back: nobody has been told that
// it was done, so the same drain goes on.
func TestDrainWhoseEndWasNotToldGoesOn(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(time.Minute)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		versions := c.statusesOf("a")

		// Three drains, each of them told at once, leave nothing of the burst.
		c.come("web-1")
		c.leave("web-1")
		c.come("web-2")
		c.wantCounts("a", counts{Total: 1, Evicted: 1, Pending: 1})
		c.leave("web-2")
		c.wantCounts("a", counts{Total: 1, Evicted: 1, Pending: 1}) // and nobody is told yet
		c.come("web-4")
		c.wait(2 * holdstatus.WriteBurst * holdstatus.WriteInterval)
		c.wantCounts("a", counts{Total: 2, Evicted: 2, Pending: 1, Progress: 50})
		c.finish("web-4")
		c.wait(2 * holdstatus.WriteInterval)
		c.wantCounts("a", counts{Total: 2, Evicted: 2, Progress: 100})
		wantOneDrain(t, (*versions)[2:])
	})
}

// statusesOf collects what is written of the status of the hold from now on.
func (c *cluster) statusesOf(name string) *[]told {
	versions := &[]told{}
	c.Inject(func(action clienttesting.Action) (bool, error) {
		if action.GetVerb() == "update" && drainertest.OfStatus(action) && drainertest.OfHold(name)(action) {
			status := action.(clienttesting.UpdateAction).GetObject().(*v1beta1.NodeMaintenance).Status
			*versions = append(*versions, told{
				Start: *status.StartTime, Evicted: status.EvictionPods, Progress: ptr.Deref(status.DrainProgress, 0), Drained: holdstatus.Drained(status),
			})
		}
		return false, nil
	})
	return versions
}

// come has pods come to the node, and the drainer react while no time passes.
func (c *cluster) come(names ...string) {
	var pods []drainertest.Object
	for _, name := range names {
		pods = append(pods, drainertest.Pod{Name: name, Unmanaged: true}.Object())
	}
	c.Add(pods...)
	synctest.Wait()
}

// leave has pods end, and the drainer react while no time passes.
func (c *cluster) leave(names ...string) {
	c.t.Helper()
	for _, name := range names {
		c.Remove(stored[*corev1.Pod](c, drainertest.Namespace, name))
	}
	synctest.Wait()
}

// wantOneDrain wants the versions to tell of one drain, whose numbers only grow, and of its end.
func wantOneDrain(t *testing.T, versions []told) {
	t.Helper()
	for i, version := range versions[1:] {
		last := versions[i]
		if !version.Start.Equal(&last.Start) || version.Evicted < last.Evicted || version.Progress < last.Progress {
			t.Errorf("%+v comes after %+v", version, last)
		}
		if want := i == len(versions)-2; version.Drained != want {
			t.Errorf("version %d of %d says that the drain is done: %t, want %t", i+2, len(versions), version.Drained, want)
		}
	}
}

// Pods come and go after the drain, and its status follows them.
func TestSkippedPodsAreCountedAfterTheDrain(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "db", App: "db"}.Object(),
		drainertest.Pod{Name: "web-1", App: "web"}.Object(), drainertest.Pod{Name: "web-2", App: "web"}.Object(),
	), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", SelectApp: "db"}.Object())
		c.finish("db")
		wantSkipped := func(want int32, reason string) {
			t.Helper()
			c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionTrue, reason)
			if got := c.hold("a").Status.SkippedPodCount; got != want {
				t.Errorf("%d pods are skipped, want %d", got, want)
			}
		}
		wantSkipped(2, v1beta1.ReasonSelectedPodsGone)
		c.finish("web-1")
		c.wait(holdstatus.WriteInterval)
		wantSkipped(1, v1beta1.ReasonSelectedPodsGone)
		c.finish("web-2")
		c.wait(holdstatus.WriteInterval)
		wantSkipped(0, v1beta1.ReasonNodeEmpty)
		c.Add(drainertest.Pod{Name: "web-3", App: "web"}.Object())
		c.wait(holdstatus.WriteInterval)
		wantSkipped(1, v1beta1.ReasonSelectedPodsGone)
		if got := conditionOf(c.node(drainertest.NodeName), corev1.NodeDrained); got != corev1.ConditionFalse {
			t.Errorf("the node's condition Drained is %s with a pod on it", got)
		}
		c.create(drainertest.Hold{Name: "b"}.Object())
		c.finish("web-3")
		c.wait(holdstatus.WriteInterval)
		wantSkipped(0, v1beta1.ReasonNodeEmpty)
		c.wantEvictions(map[string]int{"db": 1, "web-1": 0, "web-3": 1})
	})
}

func conditionOf(node *corev1.Node, kind corev1.NodeConditionType) corev1.ConditionStatus {
	for _, c := range node.Status.Conditions {
		if c.Type == kind {
			return c.Status
		}
	}
	return ""
}
