// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// refuse has the API server refuse what matches, until dropReactor.
func refuse(fake *clienttesting.Fake, verb, resource string, matches func(clienttesting.Action) bool) {
	fake.PrependReactor(verb, resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
		return matches(action), nil, apierrors.NewForbidden(corev1.Resource(resource), "x", errors.New("not you"))
	})
}

func anyAction(clienttesting.Action) bool { return true }

func notStatus(action clienttesting.Action) bool { return action.GetSubresource() == "" }

func ofHold(name string) func(clienttesting.Action) bool {
	return func(action clienttesting.Action) bool {
		return action.(clienttesting.UpdateAction).GetObject().(*v1beta1.NodeMaintenance).Name == name
	}
}

// Pods that cannot be listed are no silence: the status says why, and the deadline counts.
func TestPodsThatCannotBeListed(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, makeNode(testNode), makePod("web-1"))
		refuse(&c.kube.Fake, "list", "pods", anyAction)
		return c
	}, func(c *cluster) {
		c.create(makeHold("a", timeout(60)))
		c.wait(10 * time.Second)
		c.wantPhase("a", v1beta1.PhaseRunning)
		if got := c.hold("a").Status.LastError; !strings.Contains(got, "not you") {
			c.t.Errorf("lastError is %q, want what keeps the pods from being listed", got)
		}
		c.wait(time.Minute)
		c.wantPhase("a", v1beta1.PhaseFailed)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDeadlineExceeded)
		dropReactor(&c.kube.Fake)
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 1})
	})
}

// A drained node that is not cordoned any more is not drained: pods may come to it.
func TestRepairThatFailsTakesBackDrained(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode)) }, func(c *cluster) {
		c.create(makeHold("a", timeout(5)))
		c.wait(time.Minute)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		refuse(&c.kube.Fake, "patch", "nodes", notStatus)
		c.changeNode(testNode, func(node *corev1.Node) { node.Spec.Unschedulable = false })
		c.wait(statusInterval)
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonCordonFailed)
		for _, said := range ourConditions(c.node(testNode)) {
			if said.Type == corev1.NodeDrained && said.Status != corev1.ConditionFalse {
				t.Error("the node still says that it is drained")
			}
		}
		dropReactor(&c.kube.Fake)
		c.events()
		c.wait(time.Minute)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantEvent(c.events(), eventDrainTimedOut, 0) // the deadline is that of the drain before
	})
}

// While a node cannot be cordoned again nothing is evicted from it.
func TestRepairThatFailsStopsEvicting(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makePod("web-1", app("web")), makeBudget("web", "web", 1, 1, 1, 0))
	}, func(c *cluster) {
		c.create(makeHold("a"))
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 0})
		refuse(&c.kube.Fake, "patch", "nodes", notStatus)
		c.changeNode(testNode, func(node *corev1.Node) { node.Spec.Unschedulable = false })
		c.wait(statusInterval)
		c.changeBudget(makeBudget("web", "web", 1, 2, 2, 1))
		c.wait(10 * time.Second)
		c.wantEvictions(map[string]int{"web-1": 0})
		dropReactor(&c.kube.Fake)
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 1})
	})
}

// Somebody who undoes the cordon as fast as it is repaired gets no loop out of it.
func TestRepairsAreSpaced(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode)) }, func(c *cluster) {
		c.create(makeHold("a"))
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.events()
		for range 40 {
			c.changeNode(testNode, func(node *corev1.Node) { node.Spec.Unschedulable = false }) // and half a second passes
		}
		repairs := 0
		for _, reason := range c.events() {
			if reason == eventDriftRepaired {
				repairs++
			}
		}
		if repairs < 15 || repairs > 25 {
			t.Errorf("repaired %d times in 20 s, want about once a second", repairs)
		}
		c.wait(statusInterval)
		c.wantCordoned(testNode, true)
	})
}

// A hold whose status cannot be written keeps no other from draining, and none from ending.
func TestHoldThatCannotBeWrittenHoldsBackNothing(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, makeNode(testNode), makePod("web-1"))
		refuse(&c.maintenance.Fake, "update", "nodemaintenances", ofHold("a"))
		return c
	}, func(c *cluster) {
		c.create(makeHold("a", stage(v1beta1.StageCordon)))
		c.create(makeHold("b"))
		c.finish("web-1")
		c.wait(10 * time.Second)
		c.wantPhase("b", v1beta1.PhaseSucceeded)
		c.change("a", func(h *v1beta1.NodeMaintenance) { h.Spec.Stage = v1beta1.StageIdle })
		c.delete("b")
		c.wait(10 * time.Second)
		c.wantNoHold("b")
		c.wantCordoned(testNode, false)
	})
}

// A node that one hold alone holds, and whose state before only another knew, is not forgotten.
func TestLastHoldThatKnowsWaitsForTheOthers(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, makeNode(testNode))
		refuse(&c.maintenance.Fake, "update", "nodemaintenances", ofHold("a"))
		return c
	}, func(c *cluster) {
		c.create(makeHold("a", stage(v1beta1.StageCordon)))
		c.create(makeHold("b"))
		c.wait(10 * time.Second)
		c.delete("b")
		c.wait(10 * time.Second)
		if len(c.hold("b").Finalizers) == 0 {
			t.Error("the hold that knew what the node was like before has ended")
		}
		dropReactor(&c.maintenance.Fake)
		c.wait(2 * time.Minute)
		c.wantNoHold("b")
		c.delete("a")
		c.wait(10 * time.Second)
		c.wantCordoned(testNode, false)
	})
}

// What a hold knew of a node counts no more once the node has been given back for it.
func TestCordonByHandAfterGiveBackIsKept(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode)) }, func(c *cluster) {
		c.create(makeHold("a"))
		refuse(&c.maintenance.Fake, "update", "nodemaintenances", func(action clienttesting.Action) bool {
			return notStatus(action) && ofHold("a")(action)
		})
		c.delete("a")
		c.wait(10 * time.Second)
		c.wantCordoned(testNode, false)
		c.changeNode(testNode, unschedulable)
		c.create(makeHold("c"))
		c.wait(10 * time.Second)
		dropReactor(&c.maintenance.Fake)
		c.delete("c")
		c.wait(2 * time.Minute)
		c.wantNoHold("c")
		c.wantNoHold("a")
		if node := c.node(testNode); !node.Spec.Unschedulable || annotated(node) {
			t.Errorf("the cordon by hand was undone: %+v", node.Spec)
		}
	})
}

// A node that another store's server holds too is not given back, nor is its annotation fought over.
func TestNodeThatAnotherServerHoldsToo(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode)) }, func(c *cluster) {
		c.create(makeHold("a"))
		theirs := `{"storeID":"store-2","holds":[],"before":{}}`
		c.changeNode(testNode, func(node *corev1.Node) { node.Annotations[v1beta1.HoldsAnnotation] = theirs })
		c.wait(time.Minute)
		c.delete("a")
		c.wait(10 * time.Second)
		c.wantNoHold("a")
		node := c.node(testNode)
		if !node.Spec.Unschedulable || !drainTainted(node) || node.Annotations[v1beta1.HoldsAnnotation] != theirs {
			t.Errorf("the other server's node was given back: %+v %v", node.Spec, node.Annotations)
		}
		c.wantEvent(c.events(), eventNodeLeftBehind, 1)
	})
}

// A node that our own store has left behind is given back, though a hold in stage Idle names it.
func TestNodeLeftBehindWithAnIdleHold(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		m := newMarks(testStoreID, nil)
		node := makeNode(testNode, unschedulable, tainted(v1beta1.DrainTaint), labelled(v1beta1.ExcludeFromRemediationLabel, "true"))
		note, err := m.note(nil, v1beta1.NodeBefore{})
		if err != nil {
			t.Fatal(err)
		}
		node.Annotations = map[string]string{v1beta1.HoldsAnnotation: note}
		c := newCluster(t, node)
		c.add(makeHold("a", stage(v1beta1.StageIdle)))
		return c
	}, func(c *cluster) {
		c.wait(10 * time.Second)
		c.wantCordoned(testNode, false)
	})
}

// That a drained hold lasts longer now is no other drain, also if the list that confirms it fails.
func TestListThatFailsKeepsDrained(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode)) }, func(c *cluster) {
		c.create(makeHold("a"))
		c.wait(10 * time.Second)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		drainedAt := c.hold("a").Status.DrainedTime
		refuse(&c.kube.Fake, "list", "pods", anyAction)
		c.change("a", func(h *v1beta1.NodeMaintenance) { h.Spec.Reason = "it takes longer" })
		c.wait(10 * time.Second)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		dropReactor(&c.kube.Fake)
		c.wait(2 * time.Minute)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		if h := c.hold("a"); h.Status.ObservedGeneration != h.Generation || !h.Status.DrainedTime.Equal(drainedAt) {
			t.Errorf("the status speaks of generation %d of %d, drained at %s, want %s", h.Status.ObservedGeneration, h.Generation, h.Status.DrainedTime, drainedAt)
		}
		c.wantEvent(c.events(), eventDrainRestarted, 0)
	})
}
