// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestSeveralHoldsOneNode(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makePod("web-1"), makePod("db-1", app("db")))
	}, func(c *cluster) {
		c.create(makeHold("a", selecting("db")))
		c.create(makeHold("b"))
		c.wantEvictions(map[string]int{"web-1": 1, "db-1": 1})
		c.finish("db-1")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonSelectedPodsGone)
		c.wantPhase("b", v1beta1.PhaseRunning)

		c.delete("a")
		c.wantNoHold("a")
		c.wantCordoned(testNode, true)
		if before := c.hold("b").Status.NodeBefore; before == nil || before.Unschedulable {
			t.Errorf("hold b copied nodeBefore %+v, want the node as it was before hold a", before)
		}
		c.delete("b")
		c.wantNoHold("b")
		c.wantCordoned(testNode, false)
	})
}

func TestStageMovesBackAndForth(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makePod("web-1"), makePod("web-2"), makeBudget("web", "web", 1, 1, 2, 0))
	}, func(c *cluster) {
		c.create(makeHold("a", timeout(60)))
		c.wantCondition("a", v1beta1.ConditionBlocked, metav1.ConditionTrue, string(v1beta1.BlockerDisruptionBudget))

		c.change("a", stage(v1beta1.StageCordon))
		c.changeBudget(makeBudget("web", "web", 1, 2, 2, 1))
		c.wait(statusInterval)
		c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonStageCordon)
		if status := c.hold("a").Status; status.StartTime != nil || status.Deadline != nil || len(status.Blockers) > 0 {
			t.Errorf("stage Cordon still speaks of a drain: %+v", status)
		}

		c.change("a", stage(v1beta1.StageIdle))
		c.wait(statusInterval)
		c.wantCordoned(testNode, false)
		c.wantPhase("a", v1beta1.PhasePending)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonStageIdle)

		// Somebody cordons the node while it is idle: that is what it is like before now.
		c.changeNode(testNode, unschedulable)
		c.change("a", stage(v1beta1.StageDrain))
		c.wait(statusInterval)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 0})
		c.delete("a")
		c.wantNoHold("a")
		if node := c.node(testNode); !node.Spec.Unschedulable || marked(node) {
			t.Errorf("given back as %+v, want it cordoned as a person left it", node.Spec)
		}
	})
}

func TestDeleteStopsEvictingAtOnce(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makePod("web-1"), makeBudget("web", "web", 1, 1, 1, 0))
	}, func(c *cluster) {
		c.create(makeHold("a"))
		c.delete("a")
		c.wantNoHold("a")
		c.wantCordoned(testNode, false)
		c.changeBudget(makeBudget("web", "web", 0, 1, 1, 1))
		c.wantEvictions(map[string]int{"web-1": 0})
		if watched := c.watched(); len(watched) > 0 {
			t.Errorf("the pods of %v are still watched", watched)
		}
	})
}

func TestTimeoutReports(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makePod("web-1"))
	}, func(c *cluster) {
		c.create(makeHold("a", timeout(60)))
		started := c.hold("a").Status
		c.wait(30 * time.Second)
		c.stop()
		c.start() // a restart neither extends nor restarts the deadline
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wait(30 * time.Second)
		c.wantPhase("a", v1beta1.PhaseFailed)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDeadlineExceeded)
		if status := c.hold("a").Status; !status.StartTime.Equal(started.StartTime) || !status.Deadline.Equal(started.Deadline) {
			t.Errorf("start and deadline moved from %v, %v to %v, %v", started.StartTime, started.Deadline, status.StartTime, status.Deadline)
		}
		c.finish("web-1")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		events := c.events()
		c.wantEvent(events, eventDrainTimedOut, 2) // on the hold and on the node
		c.wantEvent(events, eventDrainSucceeded, 2)
	})
}

func TestLatePodStartsAnotherDrain(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makePod("web-1"))
	}, func(c *cluster) {
		c.create(makeHold("a"))
		c.finish("web-1")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wait(time.Minute)
		c.add(makePod("web-2"))
		c.settle()
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDraining)
		if status := c.hold("a").Status; status.DrainProgress != 0 || status.EvictionPods != 1 || status.DrainedTime != nil {
			t.Errorf("the second drain does not begin at 0: %+v", status)
		}
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
		c.finish("web-2")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
	})
}

func TestDrainAfterAnotherStageCountsAnew(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makePod("web-1"), makePod("web-2"))
	}, func(c *cluster) {
		c.create(makeHold("a"))
		c.finish("web-1", "web-2")
		c.change("a", stage(v1beta1.StageIdle))
		c.wait(time.Minute)
		c.add(makePod("web-3"))
		c.change("a", stage(v1beta1.StageDrain))
		c.wait(statusInterval)
		if status := c.hold("a").Status; status.DrainProgress != 0 || status.EvictionPods != 1 {
			t.Errorf("the second drain begins at %d%% of %d pods, want 0%% of 1", status.DrainProgress, status.EvictionPods)
		}
	})
}

func TestDriftIsRepaired(t *testing.T) {
	tests := map[string]func(*corev1.Node){
		"uncordoned": func(node *corev1.Node) { node.Spec.Unschedulable = false },
		"untainted":  func(node *corev1.Node) { node.Spec.Taints = nil },
		"unlabelled": func(node *corev1.Node) { delete(node.Labels, v1beta1.ExcludeFromRemediationLabel) },
		"annotation removed": func(node *corev1.Node) {
			node.Annotations = nil
		},
		"all of it": func(node *corev1.Node) {
			node.Spec.Unschedulable, node.Spec.Taints, node.Annotations = false, nil, nil
			delete(node.Labels, v1beta1.ExcludeFromRemediationLabel)
		},
	}
	for name, drift := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode)) }, func(c *cluster) {
				c.create(makeHold("a"))
				c.wantPhase("a", v1beta1.PhaseSucceeded)
				c.wantEvent(c.events(), eventDriftRepaired, 0)
				c.changeNode(testNode, drift)
				c.wantCordoned(testNode, true)
				c.wantEvent(c.events(), eventDriftRepaired, 1)
				c.delete("a")
				c.wantCordoned(testNode, false)
			})
		})
	}
}

func TestNodeThatAppearsLater(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster { return newCluster(t) }, func(c *cluster) {
		if c.drainer.HasNode(testNode) {
			t.Error("a node is there that is not")
		}
		c.create(makeHold("a"))
		c.wantPhase("a", v1beta1.PhasePending)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonNodeNotFound)
		c.add(makeNode(testNode))
		c.wait(statusInterval)
		c.wantCordoned(testNode, true)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantEvent(c.events(), eventNodeReplaced, 0)
	})
}

func TestNodeNeverThereCanBeLetGo(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster { return newCluster(t) }, func(c *cluster) {
		c.create(makeHold("a"))
		c.delete("a")
		c.wantNoHold("a")
	})
}

func TestNodeDeletedMeanwhile(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makePod("web-1"))
	}, func(c *cluster) {
		c.create(makeHold("a"))
		if err := c.kube.Tracker().Delete(nodesResource, "", testNode); err != nil {
			t.Fatal(err)
		}
		c.wait(statusInterval)
		c.wantPhase("a", v1beta1.PhasePending)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonNodeDeleted)
		c.delete("a")
		c.wantNoHold("a")
	})
}

func TestNodeReplaced(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode)) }, func(c *cluster) {
		c.create(makeHold("a"))
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		if err := c.kube.Tracker().Delete(nodesResource, "", testNode); err != nil {
			t.Fatal(err)
		}
		c.add(makeNode(testNode, unschedulable, func(node *corev1.Node) { node.UID = "another" }))
		c.add(makePod("web-1"))
		c.wait(2 * statusInterval)
		c.wantCordoned(testNode, true)
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wantEvictions(map[string]int{"web-1": 1})
		status := c.hold("a").Status
		if status.NodeUID != "another" || status.NodeBefore == nil || !status.NodeBefore.Unschedulable {
			t.Errorf("nodeBefore is not that of the new node: %+v", status)
		}
		if events := c.events(); !slices.Contains(events, eventNodeReplaced) {
			t.Errorf("no event says so: %v", events)
		}
		c.finish("web-1")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
	})
}

func TestRestartOfADrainedHoldDoesNotFlap(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makePod("web-1"))
	}, func(c *cluster) {
		c.create(makeHold("a"))
		c.finish("web-1")
		c.wait(time.Minute)
		drained := c.hold("a")
		c.events()
		c.stop()
		c.start()
		c.wait(time.Minute)
		if now := c.hold("a"); now.ResourceVersion != drained.ResourceVersion {
			t.Errorf("the restart wrote the hold:\n%+v\n%+v", drained.Status, now.Status)
		}
		if events := c.events(); len(events) > 0 {
			t.Errorf("the restart wrote events: %v", events)
		}
	})
}

func TestStatusIsWrittenAtMostOnceASecond(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makePod("web-0"))
	}, func(c *cluster) {
		c.create(makeHold("a", grace(86400)))
		for range 100 {
			c.changePod("web-0", func(pod *corev1.Pod) { pod.Labels["app"] += "x" })
			c.add(makePod("late-" + time.Now().Format("050.000")))
			c.wait(0)
		}
		written := c.statusWritten("a")
		elapsed := time.Since(written[0])
		if writes, most := len(written), int(elapsed/statusInterval)+statusBurst+1; writes > most || writes < most/2 {
			t.Errorf("%d writes in %s, want up to %d", writes, elapsed, most)
		}
		before := len(c.statusWritten("a"))
		c.wait(time.Hour)
		if after := len(c.statusWritten("a")); after > before+2 {
			t.Errorf("%d writes while nothing happened", after-before)
		}
	})
}

func TestWatchesOnlyNodesUnderDrain(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makeNode("worker-2"), makeNode("worker-3"))
	}, func(c *cluster) {
		c.create(makeHold("a"))
		c.create(makeHold("b", forNode("worker-2"), stage(v1beta1.StageCordon)))
		if watched := c.watched(); !slices.Equal(watched, []string{testNode}) {
			t.Errorf("the pods of %v are watched, want those of %s", watched, testNode)
		}
		c.wantCordoned("worker-2", true)
		c.wantPhase("b", v1beta1.PhaseSucceeded)
		c.wantCordoned("worker-3", false)
	})
}

func TestBlockedNodeDelaysNoOther(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, makeNode(testNode), makePod("free"), makeBudget("stuck", "stuck", 9, 9, 9, 0))
		for i := range 50 {
			name := "blocked-" + string(rune('a'+i%26)) + string(rune('a'+i/26))
			c.add(makeNode(name))
			c.add(makePod("pod-"+name, app("stuck"), on(name)))
			c.add(makeHold("hold-"+name, forNode(name)))
		}
		return c
	}, func(c *cluster) {
		c.create(makeHold("a"))
		c.wantEvictions(map[string]int{"free": 1})
	})
}

func TestNodeConditions(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		return newCluster(t, makeNode(testNode), makePod("web-1"))
	}, func(c *cluster) {
		want := func(when string, want map[corev1.NodeConditionType]corev1.ConditionStatus) {
			t.Helper()
			got := map[corev1.NodeConditionType]corev1.ConditionStatus{}
			for _, condition := range ourConditions(c.node(testNode)) {
				got[condition.Type] = condition.Status
			}
			if len(got) != len(want) {
				t.Errorf("%s: conditions %v, want %v", when, got, want)
			}
			for kind, status := range want {
				if got[kind] != status {
					t.Errorf("%s: conditions %v, want %v", when, got, want)
				}
			}
		}
		c.create(makeHold("a"))
		want("draining", map[corev1.NodeConditionType]corev1.ConditionStatus{
			corev1.NodeMaintenanceInProgress: corev1.ConditionTrue,
			corev1.NodeDrainInProgress:       corev1.ConditionTrue,
			corev1.NodeDrained:               corev1.ConditionFalse,
		})
		c.finish("web-1")
		want("drained", map[corev1.NodeConditionType]corev1.ConditionStatus{
			corev1.NodeMaintenanceInProgress: corev1.ConditionTrue,
			corev1.NodeDrainInProgress:       corev1.ConditionFalse,
			corev1.NodeDrained:               corev1.ConditionTrue,
		})
		c.delete("a")
		want("given back", nil)
		c.create(makeHold("b", selecting("nothing")))
		want("drained of selected pods", map[corev1.NodeConditionType]corev1.ConditionStatus{
			corev1.NodeMaintenanceInProgress: corev1.ConditionTrue,
			corev1.NodeDrainInProgress:       corev1.ConditionFalse,
			corev1.NodeDrained:               corev1.ConditionFalse,
		})
		if !slices.ContainsFunc(c.node(testNode).Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady }) {
			t.Error("the node's own conditions are gone")
		}
	})
}

// Many holds that are created at once are not slowed down by what has no hurry.
func TestNothingToDoIsSaidAfterAWhile(t *testing.T) {
	tests := map[string]struct {
		change     func(*v1beta1.NodeMaintenance)
		wantAtOnce bool
	}{
		"idle":         {change: stage(v1beta1.StageIdle)},
		"missing node": {change: forNode("worker-9")},
		"cordon":       {change: stage(v1beta1.StageCordon), wantAtOnce: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(t *testing.T) *cluster { return newCluster(t, makeNode(testNode)) }, func(c *cluster) {
				c.create(makeHold("a", test.change, func(h *v1beta1.NodeMaintenance) {
					h.CreationTimestamp, h.Status.Phase = metav1.Now(), v1beta1.PhasePending
				}))
				if got := len(c.statusWritten("a")); (got > 0) != test.wantAtOnce {
					t.Errorf("the status was written %d times at once", got)
				}
				c.wait(statusInterval)
				if reason := conditionReason(c.hold("a").Status, v1beta1.ConditionCordoned); reason == "" {
					t.Error("the status still says nothing")
				}
			})
		})
	}
}
