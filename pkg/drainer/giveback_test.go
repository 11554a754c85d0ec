// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestGiveBackUndoesOnlyOurMarks(t *testing.T) {
	extra := corev1.Taint{Key: "example.com/maintenance", Value: "yes", Effect: corev1.TaintEffectNoSchedule}
	tests := map[string][]func(*corev1.Node){
		"a plain node":         nil,
		"cordoned before":      {unschedulable},
		"foreign taint":        {tainted("example.com/gpu")},
		"our taint before":     {tainted(v1beta1.DrainTaint)},
		"our extra taint too":  {tainted(extra.Key)},
		"excluded before":      {labelled(v1beta1.ExcludeFromRemediationLabel, "true")},
		"another label value":  {labelled(v1beta1.ExcludeFromRemediationLabel, "false")},
		"everything at a time": {unschedulable, tainted("a"), tainted(v1beta1.DrainTaint), tainted("b"), labelled(v1beta1.ExcludeFromRemediationLabel, "")},
	}
	for name, changes := range tests {
		t.Run(name, func(t *testing.T) {
			before := makeNode(testNode, changes...)
			inCluster(t, func(t *testing.T) *cluster {
				c := newCluster(t, before)
				c.config.Taints = []corev1.Taint{extra}
				return c
			}, func(c *cluster) {
				c.create(makeHold("a"))
				if node := c.node(testNode); !node.Spec.Unschedulable || !drainTainted(node) || !hasTaint(node.Spec.Taints, extra) {
					t.Errorf("the node is not cordoned: %+v", node.Spec)
				}
				c.delete("a")
				c.wantNoHold("a")
				c.wantSameNode(before)
			})
		})
	}
}

func (c *cluster) wantSameNode(before *corev1.Node) {
	c.t.Helper()
	type essence struct {
		Spec                corev1.NodeSpec
		Labels, Annotations map[string]string
	}
	encode := func(node *corev1.Node) string {
		data, err := json.Marshal(essence{node.Spec, node.Labels, node.Annotations})
		if err != nil {
			c.t.Fatal(err)
		}
		return string(data)
	}
	if got, want := encode(c.node(before.Name)), encode(before); got != want {
		c.t.Errorf("node %s was given back as\n%s, want it as it was:\n%s", before.Name, got, want)
	}
}

// A crash at any moment: from the n-th write on every write fails, the process ends, and
// another one takes over.
func TestCrashAtAnyWrite(t *testing.T) {
	for _, before := range []*corev1.Node{makeNode(testNode), makeNode(testNode, unschedulable, tainted("x"))} {
		for n := range 25 {
			t.Run(fmt.Sprintf("cordoned before: %t, write %d", before.Spec.Unschedulable, n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { crashAtWrite(t, before, n) })
			})
		}
	}
}

func crashAtWrite(t *testing.T, before *corev1.Node, n int) {
	c := newCluster(t, before, makePod("web-1"), makePod("web-2"))
	heal := c.failWritesAfter(n)
	counted := true
	restart := func() {
		c.stop()
		heal()
		c.start()
	}
	crashed := func() {
		counted = c.hold("a").Status.EvictionPods > 0
		restart()
	}
	c.start()
	defer func() { c.stop() }()
	c.create(makeHold("a"))
	if c.failing() {
		crashed()
	}
	c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
	c.finish("web-1")
	if c.failing() {
		crashed()
	}
	c.finish("web-2")
	c.wait(statusInterval)
	if c.failing() {
		crashed()
	}
	c.wait(statusInterval)
	c.wantPhase("a", v1beta1.PhaseSucceeded)
	if status := c.hold("a").Status; (counted && status.EvictionPods != 2) || status.DrainProgress != 100 {
		t.Errorf("the count was lost: %+v", status)
	}
	c.delete("a")
	if c.failing() {
		restart() // the hold may have ended already
	}
	c.wantNoHold("a")
	c.wantSameNode(before)
	c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
}

// failWritesAfter lets n writes of the drainer succeed and fails all that follow, until the
// returned function is called.
func (c *cluster) failWritesAfter(n int) (heal func()) {
	healed := false
	fail := func(action clienttesting.Action) (bool, runtime.Object, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.writesFail = !healed && c.writes >= n; c.writesFail {
			return true, nil, apierrors.NewInternalError(errors.New("the server is down"))
		}
		c.writes++
		return false, nil, nil
	}
	for _, verb := range []string{"create", "update", "patch"} {
		c.kube.PrependReactor(verb, "*", fail)
		c.maintenance.PrependReactor(verb, "*", fail)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		healed, c.writesFail = true, false
	}
}

func (c *cluster) failing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.writesFail
}

func TestCordonAfterGiveBackIsNotUndone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, makeNode(testNode))
		c.start()
		defer func() { c.stop() }()
		c.create(makeHold("a"))
		// The process ends between the give-back and the end of the hold.
		c.maintenance.PrependReactor("update", "nodemaintenances", func(action clienttesting.Action) (bool, runtime.Object, error) {
			return action.GetSubresource() == "", nil, apierrors.NewInternalError(errors.New("the server is down"))
		})
		c.delete("a")
		c.wantCordoned(testNode, false)
		c.stop()
		c.changeNode(testNode, unschedulable)
		dropReactor(&c.maintenance.Fake)
		c.start()
		c.wantNoHold("a")
		if !c.node(testNode).Spec.Unschedulable {
			t.Error("the cordon that a person set meanwhile was undone")
		}
	})
}

func TestHoldThatAnotherFinalizerKeepsHasEnded(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode)) }, func(c *cluster) {
		c.create(makeHold("a", func(h *v1beta1.NodeMaintenance) { h.Finalizers = append(h.Finalizers, "example.com/audit") }))
		c.delete("a")
		c.wantCordoned(testNode, false)
		if finalizers := c.hold("a").Finalizers; !slices.Equal(finalizers, []string{"example.com/audit"}) {
			t.Errorf("finalizers %v", finalizers)
		}
		c.changeNode(testNode, unschedulable)
		c.changeNode(testNode, tainted(v1beta1.DrainTaint))
		c.wait(time.Minute)
		if node := c.node(testNode); !node.Spec.Unschedulable || !drainTainted(node) {
			t.Errorf("what a person did meanwhile was undone: %+v", node.Spec)
		}
	})
}

// A hold that joins while the node cannot be patched takes nothing from those that are there.
func TestNoteThatCannotBeWrittenLeavesTheDrainAlone(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode), makePod("web-1")) }, func(c *cluster) {
		c.create(makeHold("a"))
		c.finish("web-1")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.kube.PrependReactor("patch", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewInternalError(errors.New("the server is down"))
		})
		c.create(makeHold("b"))
		c.wait(statusInterval)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantPhase("b", v1beta1.PhaseSucceeded)
	})
}

func TestCordonThatFailsIsReportedAndTriedAgain(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, makeNode(testNode), makePod("web-1"))
		refusals := 0
		c.kube.PrependReactor("patch", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
			refusals++
			return refusals < 10, nil, apierrors.NewForbidden(corev1.Resource("nodes"), testNode, errors.New("not you"))
		})
		return c
	}, func(c *cluster) {
		c.create(makeHold("a"))
		c.wait(statusInterval)
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonCordonFailed)
		c.wantEvictions(map[string]int{"web-1": 0})
		if c.hold("a").Status.LastError == "" {
			t.Error("lastError is silent")
		}
		if said := ourConditions(c.node(testNode)); len(said) > 0 {
			t.Errorf("the node says %v, and was never cordoned", said)
		}
		c.wait(time.Minute)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionTrue, v1beta1.ReasonCordoned)
		c.wantEvictions(map[string]int{"web-1": 1})
	})
}

func TestGiveBackThatFailsIsReportedAndTriedAgain(t *testing.T) {
	ends := map[string]func(*cluster){
		"deleted": func(c *cluster) { c.delete("a") },
		"idle":    func(c *cluster) { c.change("a", func(h *v1beta1.NodeMaintenance) { h.Spec.Stage = v1beta1.StageIdle }) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode)) }, func(c *cluster) {
				c.create(makeHold("a"))
				c.kube.PrependReactor("patch", "nodes", func(action clienttesting.Action) (bool, runtime.Object, error) {
					return action.GetSubresource() == "", nil, apierrors.NewForbidden(corev1.Resource("nodes"), testNode, errors.New("not you"))
				})
				end(c)
				c.wait(time.Minute)
				c.wantCordoned(testNode, true)
				if got := c.hold("a").Status.LastError; !strings.Contains(got, "not you") {
					t.Errorf("lastError is %q, want what keeps the node from being given back", got)
				}
				c.wantEvent(c.events(), eventReleaseFailed, 2) // on the hold and on the node

				dropReactor(&c.kube.Fake)
				c.wait(time.Minute)
				c.wantCordoned(testNode, false)
				if name == "deleted" {
					c.wantNoHold("a")
				} else if got := c.hold("a").Status.LastError; got != "" {
					t.Errorf("lastError is %q still", got)
				}
			})
		})
	}
}

func TestHoldThatCannotEndHoldsBackNothing(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode), makePod("web-1")) }, func(c *cluster) {
		c.create(makeHold("a", func(h *v1beta1.NodeMaintenance) { h.Spec.Stage = v1beta1.StageCordon }))
		c.create(makeHold("b", func(h *v1beta1.NodeMaintenance) { h.Spec.Stage = v1beta1.StageCordon }))
		c.maintenance.PrependReactor("update", "nodemaintenances", func(action clienttesting.Action) (bool, runtime.Object, error) {
			updated := action.(clienttesting.UpdateAction).GetObject().(*v1beta1.NodeMaintenance)
			refused := action.GetSubresource() == "" && updated.DeletionTimestamp != nil
			return refused, nil, apierrors.NewForbidden(v1beta1.Resource("nodemaintenances"), updated.Name, errors.New("not you"))
		})
		c.delete("b")
		c.change("a", func(h *v1beta1.NodeMaintenance) { h.Spec.Stage = v1beta1.StageDrain })
		c.finish("web-1")
		c.wait(statusInterval)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantEvictions(map[string]int{"web-1": 1})
		if got := c.hold("b").Status.LastError; !strings.Contains(got, "not you") {
			t.Errorf("lastError is %q, want what keeps the hold from ending", got)
		}
		dropReactor(&c.maintenance.Fake)
		c.wait(time.Minute)
		c.wantNoHold("b")
		c.wantCordoned(testNode, true)
	})
}

func TestNodeLeftBehind(t *testing.T) {
	cordoned := func(t *testing.T, storeID string, before *corev1.Node, after ...func(*corev1.Node)) *corev1.Node {
		m := newMarks(storeID, nil)
		note, err := m.note(nil, m.before(before))
		if err != nil {
			t.Fatal(err)
		}
		patch, err := m.cordonPatch(before, note).encode()
		if err != nil {
			t.Fatal(err)
		}
		node, err := patchedNode(before, clienttesting.NewRootPatchAction(nodesResource, before.Name, types.MergePatchType, patch))
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range after {
			change(node)
		}
		return node
	}
	tests := map[string]struct {
		storeID       string
		after         []func(*corev1.Node)
		wantGivenBack bool
		wantEvents    []string
	}{
		"by our store":                  {storeID: testStoreID, wantGivenBack: true, wantEvents: []string{eventNodeUncordoned}},
		"by another store":              {storeID: "store-2", wantEvents: []string{eventNodeLeftBehind}},
		"with a forged annotation only": {storeID: testStoreID, after: []func(*corev1.Node){func(node *corev1.Node) { node.Spec.Taints = nil }}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := makeNode(testNode, tainted("x"))
			left := cordoned(t, test.storeID, before, test.after...)
			inCluster(t, func(t *testing.T) *cluster { return newCluster(t, left) }, func(c *cluster) {
				c.wait(time.Minute)
				c.changeNode(testNode, func(node *corev1.Node) { node.Labels["other"] = "change" })
				if test.wantGivenBack {
					before.Labels["other"] = "change"
					c.wantSameNode(before)
				} else if !annotated(c.node(testNode)) {
					t.Error("the node was given back")
				}
				if events := c.events(); !slices.Equal(events, test.wantEvents) {
					t.Errorf("events %v, want %v", events, test.wantEvents)
				}
				c.changeNode(testNode, func(node *corev1.Node) { node.Annotations = nil })
				if left := len(c.drainer.memory.nodes); left > 0 {
					t.Errorf("%d nodes are remembered that are nobody's", left)
				}
			})
		})
	}
}
