// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// Pods that cannot be listed are no silence: the status says why, and the deadline counts.
func TestPodsThatCannotBeListed(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object())
		c.Inject(drainertest.Failing("list", "pods", drainertest.NotYou("pods")))
		return c
	}, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", TimeoutSeconds: 60}.Object())
		c.wait(10 * time.Second)
		c.wantPhase("a", v1beta1.PhaseRunning)
		if got := c.hold("a").Status.LastError; !strings.Contains(got, "not you") {
			c.t.Errorf("lastError is %q, want what keeps the pods from being listed", got)
		}
		c.wait(time.Minute)
		c.wantPhase("a", v1beta1.PhaseFailed)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDeadlineExceeded)
		c.Heal()
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 1})
	})
}

// A drained node that is not cordoned any more is not drained: pods may come to it.
func TestRepairThatFailsTakesBackDrained(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", TimeoutSeconds: 5}.Object())
		c.wait(time.Minute)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.Inject(drainertest.Failing("patch", "nodes", drainertest.NotYou("nodes"), drainertest.OfMain))
		c.changeNode(drainertest.NodeName, drainertest.Uncordon)
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonCordonFailed)
		for _, said := range nodemarks.OurConditions(c.node(drainertest.NodeName)) {
			if said.Type == corev1.NodeDrained && said.Status != corev1.ConditionFalse {
				t.Error("the node still says that it is drained")
			}
		}
		c.Heal()
		c.events()
		c.wait(time.Minute)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantEvent(c.events(), holdstatus.EventDrainTimedOut, 0) // the deadline is that of the drain before
	})
}

// While a node cannot be cordoned again nothing is evicted from it.
func TestRepairThatFailsStopsEvicting(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
		drainertest.Budget{Name: "web", Desired: 1, Healthy: 1, Expected: 1}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 0})
		c.Inject(drainertest.Failing("patch", "nodes", drainertest.NotYou("nodes"), drainertest.OfMain))
		c.changeNode(drainertest.NodeName, drainertest.Uncordon)
		c.wait(holdstatus.WriteInterval)
		c.changeBudget(drainertest.Budget{Name: "web", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1}.Object())
		c.wait(10 * time.Second)
		c.wantEvictions(map[string]int{"web-1": 0})
		c.Heal()
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 1})
	})
}

// Somebody who undoes the cordon as fast as it is repaired gets no loop out of it.
func TestRepairsAreSpaced(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.events()
		for range 40 {
			c.changeNode(drainertest.NodeName, drainertest.Uncordon) // and half a second passes
		}
		repairs := 0
		for _, reason := range c.events() {
			if reason == holdstatus.EventDriftRepaired {
				repairs++
			}
		}
		repairs /= 2 // one event is on the node, one on the hold
		if repairs < 15 || repairs > 25 {
			t.Errorf("repaired %d times in 20 s, want about once a second", repairs)
		}
		c.wait(holdstatus.WriteInterval)
		c.wantCordoned(drainertest.NodeName, true)
	})
}

// A hold whose status cannot be written keeps no other from draining, and none from ending.
func TestHoldThatCannotBeWrittenHoldsBackNothing(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object())
		c.Inject(drainertest.Failing("update", "nodemaintenances", drainertest.NotYou("nodemaintenances"),
			drainertest.OfHold("a")))
		return c
	}, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
		c.create(drainertest.Hold{Name: "b"}.Object())
		c.finish("web-1")
		c.wait(10 * time.Second)
		c.wantPhase("b", v1beta1.PhaseSucceeded)
		c.change("a", drainertest.SetStage(v1beta1.StageIdle))
		c.delete("b")
		c.wait(10 * time.Second)
		c.wantNoHold("b")
		c.wantCordoned(drainertest.NodeName, false)
	})
}

// A node that one hold alone holds, and whose state before only another knew, is not forgotten.
func TestLastHoldThatKnowsWaitsForTheOthers(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object())
		c.Inject(drainertest.Failing("update", "nodemaintenances", drainertest.NotYou("nodemaintenances"),
			drainertest.OfHold("a")))
		return c
	}, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
		c.create(drainertest.Hold{Name: "b"}.Object())
		c.wait(10 * time.Second)
		c.delete("b")
		c.wait(10 * time.Second)
		if len(c.hold("b").Finalizers) == 0 {
			t.Error("the hold that knew what the node was like before has ended")
		}
		c.Heal()
		c.wait(2 * time.Minute)
		c.wantNoHold("b")
		c.delete("a")
		c.wait(10 * time.Second)
		c.wantCordoned(drainertest.NodeName, false)
	})
}

// What a hold knew of a node counts no more once the node has been given back for it.
func TestCordonByHandAfterGiveBackIsKept(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.Inject(drainertest.Failing("update", "nodemaintenances", drainertest.NotYou("nodemaintenances"),
			drainertest.OfMain, drainertest.OfHold("a")))
		c.delete("a")
		c.wait(10 * time.Second)
		c.wantCordoned(drainertest.NodeName, false)
		c.changeNode(drainertest.NodeName, drainertest.Cordon)
		c.create(drainertest.Hold{Name: "c"}.Object())
		c.wait(10 * time.Second)
		c.Heal()
		c.delete("c")
		c.wait(2 * time.Minute)
		c.wantNoHold("c")
		c.wantNoHold("a")
		if node := c.node(drainertest.NodeName); !node.Spec.Unschedulable || nodemarks.Annotated(node) {
			t.Errorf("the cordon by hand was undone: %+v", node.Spec)
		}
	})
}

// A node that another store's server holds too is not given back, nor is its annotation fought over.
func TestNodeThatAnotherServerHoldsToo(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		theirs := `{"storeID":"store-2","holds":[],"before":{}}`
		c.changeNode(drainertest.NodeName,
			func(node *corev1.Node) { node.Annotations[v1beta1.HoldsAnnotation] = theirs })
		c.wait(time.Minute)
		c.delete("a")
		c.wait(10 * time.Second)
		c.wantNoHold("a")
		node := c.node(drainertest.NodeName)
		if !node.Spec.Unschedulable || !nodemarks.DrainTainted(node) || node.Annotations[v1beta1.HoldsAnnotation] != theirs {
			t.Errorf("the other server's node was given back: %+v %v", node.Spec, node.Annotations)
		}
		c.wantEvent(c.events(), holdstatus.EventNodeLeftBehind, 1)
	})
}

// A node that our own store has left behind is given back, though a hold in stage Idle names it.
func TestNodeLeftBehindWithAnIdleHold(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		m := nodemarks.NewMarks(drainertest.StoreID, nil)
		node := drainertest.Node{
			Unschedulable: true, Taints: []string{v1beta1.DrainTaint},
			Labels: map[string]string{v1beta1.ExcludeFromRemediationLabel: "true"},
		}.Object()
		note, err := m.Note(nil, v1beta1.NodeBefore{})
		if err != nil {
			t.Fatal(err)
		}
		node.Annotations = map[string]string{v1beta1.HoldsAnnotation: note}
		c := newCluster(t, node)
		c.Add(drainertest.Hold{Name: "a", Stage: v1beta1.StageIdle}.Object())
		return c
	}, func(c *cluster) {
		c.wait(10 * time.Second)
		c.wantCordoned(drainertest.NodeName, false)
	})
}

// That a drained hold lasts longer now is no other drain, also if the list that confirms it fails.
func TestListThatFailsKeepsDrained(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(10 * time.Second)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		drainedAt := c.hold("a").Status.DrainedTime
		c.Inject(drainertest.Failing("list", "pods", drainertest.NotYou("pods")))
		c.change("a", func(h *v1beta1.NodeMaintenance) { h.Spec.Reason = "it takes longer" })
		c.wait(10 * time.Second)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.Heal()
		c.wait(2 * time.Minute)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		if h := c.hold("a"); h.Status.ObservedGeneration != h.Generation || !h.Status.DrainedTime.Equal(drainedAt) {
			t.Errorf("the status speaks of generation %d of %d, drained at %s, want %s", h.Status.ObservedGeneration,
				h.Generation, h.Status.DrainedTime, drainedAt)
		}
		c.wantEvent(c.events(), holdstatus.EventDrainRestarted, 0)
	})
}
