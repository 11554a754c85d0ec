// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

func TestGiveBackUndoesOnlyOurMarks(t *testing.T) {
	extra := corev1.Taint{Key: "example.com/maintenance", Value: "yes", Effect: corev1.TaintEffectNoSchedule}
	excluded := func(value string) map[string]string {
		return map[string]string{v1beta1.ExcludeFromRemediationLabel: value}
	}
	tests := map[string]drainertest.Node{
		"a plain node":        {},
		"cordoned before":     {Unschedulable: true},
		"foreign taint":       {Taints: []string{"example.com/gpu"}},
		"our taint before":    {Taints: []string{v1beta1.DrainTaint}},
		"our extra taint too": {Taints: []string{extra.Key}},
		"excluded before":     {Labels: excluded("true")},
		"another label value": {Labels: excluded("false")},
		"everything at a time": {
			Unschedulable: true, Taints: []string{"a", v1beta1.DrainTaint, "b"}, Labels: excluded(""),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := test.Object()
			inCluster(t, func(t *testing.T) *cluster {
				c := newCluster(t, before)
				c.config.Taints = []corev1.Taint{extra}
				return c
			}, func(c *cluster) {
				c.create(drainertest.Hold{Name: "a"}.Object())
				node := c.node(drainertest.NodeName)
				if !node.Spec.Unschedulable || !nodemarks.DrainTainted(node) || !nodemarks.HasTaint(node.Spec.Taints, extra) {
					t.Errorf("the node is not cordoned: %+v", node.Spec)
				}
				c.delete("a")
				c.wantNoHold("a")
				c.wantSameNode(before)
			})
		})
	}
}

// A crash at any moment: from the n-th write on every write fails, the process ends, and
// another one takes over.
func TestCrashAtAnyWrite(t *testing.T) {
	for _, before := range []*corev1.Node{
		drainertest.Node{}.Object(), drainertest.Node{Unschedulable: true, Taints: []string{"x"}}.Object(),
	} {
		for n := range 25 {
			t.Run(fmt.Sprintf("cordoned before: %t, write %d", before.Spec.Unschedulable, n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { crashAtWrite(t, before, n) })
			})
		}
	}
}

func crashAtWrite(t *testing.T, before *corev1.Node, n int) {
	c := newCluster(t, before, drainertest.Pod{Name: "web-1"}.Object(), drainertest.Pod{Name: "web-2"}.Object())
	failing, heal := c.failWritesAfter(n)
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
	c.create(drainertest.Hold{Name: "a"}.Object())
	if failing() {
		crashed()
	}
	c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
	c.finish("web-1")
	if failing() {
		crashed()
	}
	c.finish("web-2")
	c.wait(holdstatus.WriteInterval)
	if failing() {
		crashed()
	}
	c.wait(holdstatus.WriteInterval)
	c.wantPhase("a", v1beta1.PhaseSucceeded)
	if status := c.hold("a").Status; (counted && status.EvictionPods != 2) || ptr.Deref(status.DrainProgress, 0) != 100 {
		t.Errorf("the count was lost: %+v", status)
	}
	c.delete("a")
	if failing() {
		restart() // the hold may have ended already
	}
	c.wantNoHold("a")
	c.wantSameNode(before)
	c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
}

// failWritesAfter lets n writes of the drainer succeed and fails all that follow, until heal is
// called. Failing says whether the last one was made to fail.
func (c *cluster) failWritesAfter(n int) (failing func() bool, heal func()) {
	writes, down := 0, false
	c.Inject(func(action clienttesting.Action) (carriedOut bool, failure error) {
		if !isWrite(action) {
			return false, nil
		}
		if down = writes >= n; down {
			return false, drainertest.ServerDown()
		}
		writes++
		return false, nil
	})
	failing = func() bool {
		var now bool
		c.Locked(func() { now = down })
		return now
	}
	heal = func() {
		c.Heal()
		c.Locked(func() { down = false })
	}
	return failing, heal
}

func TestCordonAfterGiveBackIsNotUndone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, drainertest.Node{}.Object())
		c.start()
		defer func() { c.stop() }()
		c.create(drainertest.Hold{Name: "a"}.Object())
		// The process ends between the give-back and the end of the hold.
		c.Inject(drainertest.Failing("update", "nodemaintenances", drainertest.ServerDown(), drainertest.OfMain))
		c.delete("a")
		c.wantCordoned(drainertest.NodeName, false)
		c.stop()
		c.changeNode(drainertest.NodeName, drainertest.Cordon)
		c.Heal()
		c.start()
		c.wantNoHold("a")
		if !c.node(drainertest.NodeName).Spec.Unschedulable {
			t.Error("the cordon that a person set meanwhile was undone")
		}
	})
}

func TestHoldThatAnotherFinalizerKeepsHasEnded(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", Finalizers: []string{"example.com/audit"}}.Object())
		c.delete("a")
		c.wantCordoned(drainertest.NodeName, false)
		if finalizers := c.hold("a").Finalizers; !slices.Equal(finalizers, []string{"example.com/audit"}) {
			t.Errorf("finalizers %v", finalizers)
		}
		c.changeNode(drainertest.NodeName, drainertest.Cordon)
		c.changeNode(drainertest.NodeName, drainertest.Taint(v1beta1.DrainTaint))
		c.wait(time.Minute)
		if node := c.node(drainertest.NodeName); !node.Spec.Unschedulable || !nodemarks.DrainTainted(node) {
			t.Errorf("what a person did meanwhile was undone: %+v", node.Spec)
		}
	})
}

// A hold that joins while the node cannot be patched takes nothing from those that are there.
func TestNoteThatCannotBeWrittenLeavesTheDrainAlone(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.finish("web-1")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.Inject(drainertest.Failing("patch", "nodes", drainertest.ServerDown()))
		c.create(drainertest.Hold{Name: "b"}.Object())
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantPhase("b", v1beta1.PhaseSucceeded)
	})
}

func TestCordonThatFailsIsReportedAndTriedAgain(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object())
		refusals := 0
		c.Inject(drainertest.Failing("patch", "nodes", drainertest.NotYou("nodes"), func(clienttesting.Action) bool {
			refusals++
			return refusals < 10
		}))
		return c
	}, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonCordonFailed)
		c.wantEvictions(map[string]int{"web-1": 0})
		if c.hold("a").Status.LastError == "" {
			t.Error("lastError is silent")
		}
		if said := nodemarks.OurConditions(c.node(drainertest.NodeName)); len(said) > 0 {
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
		"idle":    func(c *cluster) { c.change("a", drainertest.SetStage(v1beta1.StageIdle)) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.Inject(drainertest.Failing("patch", "nodes", drainertest.NotYou("nodes"), drainertest.OfMain))
				end(c)
				c.wait(time.Minute)
				c.wantCordoned(drainertest.NodeName, true)
				if got := c.hold("a").Status.LastError; !strings.Contains(got, "not you") {
					t.Errorf("lastError is %q, want what keeps the node from being given back", got)
				}
				c.wantEvent(c.events(), holdstatus.EventReleaseFailed, 2) // on the hold and on the node

				c.Heal()
				c.wait(time.Minute)
				c.wantCordoned(drainertest.NodeName, false)
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
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
		c.create(drainertest.Hold{Name: "b", Stage: v1beta1.StageCordon}.Object())
		c.Inject(drainertest.Failing("update", "nodemaintenances", drainertest.NotYou("nodemaintenances"),
			drainertest.OfMain, func(action clienttesting.Action) bool {
				return action.(clienttesting.UpdateAction).GetObject().(*v1beta1.NodeMaintenance).DeletionTimestamp != nil
			}))
		c.delete("b")
		c.change("a", drainertest.SetStage(v1beta1.StageDrain))
		c.finish("web-1")
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantEvictions(map[string]int{"web-1": 1})
		if got := c.hold("b").Status.LastError; !strings.Contains(got, "not you") {
			t.Errorf("lastError is %q, want what keeps the hold from ending", got)
		}
		c.Heal()
		c.wait(time.Minute)
		c.wantNoHold("b")
		c.wantCordoned(drainertest.NodeName, true)
	})
}

func TestNodeLeftBehind(t *testing.T) {
	cordoned := func(t *testing.T, storeID string, before *corev1.Node, after ...func(*corev1.Node)) *corev1.Node {
		m := nodemarks.NewMarks(storeID, nil)
		note, err := m.Note(nil, m.Before(before))
		if err != nil {
			t.Fatal(err)
		}
		patch, err := m.CordonPatch(before, m.Read(before), note).Encode()
		if err != nil {
			t.Fatal(err)
		}
		node, err := drainertest.Patched(before, types.MergePatchType, patch)
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
		"by our store": {
			storeID: drainertest.StoreID, wantGivenBack: true, wantEvents: []string{holdstatus.EventNodeUncordoned},
		},
		"by another store": {storeID: "store-2", wantEvents: []string{holdstatus.EventNodeLeftBehind}},
		"with a forged annotation only": {
			storeID: drainertest.StoreID,
			after:   []func(*corev1.Node){func(node *corev1.Node) { node.Spec.Taints = nil }},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := drainertest.Node{Taints: []string{"x"}}.Object()
			left := cordoned(t, test.storeID, before, test.after...)
			inCluster(t, with(left), func(c *cluster) {
				c.wait(time.Minute)
				c.changeNode(drainertest.NodeName, func(node *corev1.Node) { node.Labels["other"] = "change" })
				if test.wantGivenBack {
					before.Labels["other"] = "change"
					c.wantSameNode(before)
				} else if !nodemarks.Annotated(c.node(drainertest.NodeName)) {
					t.Error("the node was given back")
				}
				if events := c.events(); !slices.Equal(events, test.wantEvents) {
					t.Errorf("events %v, want %v", events, test.wantEvents)
				}
				c.changeNode(drainertest.NodeName, func(node *corev1.Node) { node.Annotations = nil })
				if left := len(c.drainer.leading.Load().memory.nodes); left > 0 {
					t.Errorf("%d nodes are remembered that are nobody's", left)
				}
			})
		})
	}
}
