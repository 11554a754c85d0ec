// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

func TestSeveralHoldsOneNode(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
		drainertest.Pod{Name: "db-1", App: "db"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", SelectApp: "db"}.Object())
		c.create(drainertest.Hold{Name: "b"}.Object())
		c.wantEvictions(map[string]int{"web-1": 1, "db-1": 1})
		c.finish("db-1")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionTrue, v1beta1.ReasonSelectedPodsGone)
		c.wantPhase("b", v1beta1.PhaseRunning)

		c.delete("a")
		c.wantNoHold("a")
		c.wantCordoned(drainertest.NodeName, true)
		if before := c.hold("b").Status.NodeBefore; before == nil || before.Unschedulable {
			t.Errorf("hold b copied nodeBefore %+v, want the node as it was before hold a", before)
		}
		c.delete("b")
		c.wantNoHold("b")
		c.wantCordoned(drainertest.NodeName, false)
	})
}

func TestStageMovesBackAndForth(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
		drainertest.Pod{Name: "web-2"}.Object(),
		drainertest.Budget{Name: "web", Desired: 1, Healthy: 1, Expected: 2}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", TimeoutSeconds: 60}.Object())
		c.wantCondition("a", v1beta1.ConditionBlocked, metav1.ConditionTrue, string(v1beta1.BlockerDisruptionBudget))

		c.change("a", drainertest.SetStage(v1beta1.StageCordon))
		c.changeBudget(drainertest.Budget{Name: "web", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1}.Object())
		c.wait(holdstatus.WriteInterval)
		c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonStageCordon)
		if status := c.hold("a").Status; status.StartTime != nil || status.Deadline != nil || len(status.Blockers) > 0 {
			t.Errorf("stage Cordon still speaks of a drain: %+v", status)
		}

		c.change("a", drainertest.SetStage(v1beta1.StageIdle))
		c.wait(holdstatus.WriteInterval)
		c.wantCordoned(drainertest.NodeName, false)
		c.wantPhase("a", v1beta1.PhasePending)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonStageIdle)

		// Somebody cordons the node while it is idle: that is what it is like before now.
		c.changeNode(drainertest.NodeName, drainertest.Cordon)
		c.change("a", drainertest.SetStage(v1beta1.StageDrain))
		c.wait(holdstatus.WriteInterval)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 0})
		c.delete("a")
		c.wantNoHold("a")
		if node := c.node(drainertest.NodeName); !node.Spec.Unschedulable || (nodemarks.Annotated(node) || nodemarks.DrainTainted(node)) {
			t.Errorf("given back as %+v, want it cordoned as a person left it", node.Spec)
		}
	})
}

func TestDeleteStopsEvictingAtOnce(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
		drainertest.Budget{Name: "web", Desired: 1, Healthy: 1, Expected: 1}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.delete("a")
		c.wantNoHold("a")
		c.wantCordoned(drainertest.NodeName, false)
		c.changeBudget(drainertest.Budget{Name: "web", Healthy: 1, Expected: 1, Allowed: 1}.Object())
		c.wantEvictions(map[string]int{"web-1": 0})
		if watched := c.watched(); len(watched) > 0 {
			t.Errorf("the pods of %v are still watched", watched)
		}
	})
}

func TestTimeoutReports(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", TimeoutSeconds: 60}.Object())
		started := c.hold("a").Status
		c.wait(30 * time.Second)
		c.stop()
		c.start() // a restart neither extends nor restarts the deadline
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wait(30 * time.Second)
		c.wantPhase("a", v1beta1.PhaseFailed)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDeadlineExceeded)
		status := c.hold("a").Status
		if !status.StartTime.Equal(started.StartTime) || !status.Deadline.Equal(started.Deadline) {
			t.Errorf("start and deadline moved from %v, %v to %v, %v", started.StartTime, started.Deadline,
				status.StartTime, status.Deadline)
		}
		c.finish("web-1")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		events := c.events()
		c.wantEvent(events, holdstatus.EventDrainTimedOut, 2) // on the hold and on the node
		c.wantEvent(events, holdstatus.EventDrainSucceeded, 2)
	})
}

func TestLatePodStartsAnotherDrain(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.finish("web-1")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wait(time.Minute)
		c.Add(drainertest.Pod{Name: "web-2"}.Object())
		c.settle()
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonDraining)
		if status := c.hold("a").Status; ptr.Deref(status.DrainProgress, 0) != 0 || status.EvictionPods != 1 || status.DrainedTime != nil {
			t.Errorf("the second drain does not begin at 0: %+v", status)
		}
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
		c.finish("web-2")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
	})
}

func TestDrainAfterAnotherStageCountsAnew(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(),
		drainertest.Pod{Name: "web-2"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.finish("web-1", "web-2")
		c.change("a", drainertest.SetStage(v1beta1.StageIdle))
		c.wait(time.Minute)
		c.Add(drainertest.Pod{Name: "web-3"}.Object())
		c.change("a", drainertest.SetStage(v1beta1.StageDrain))
		c.wait(holdstatus.WriteInterval)
		if status := c.hold("a").Status; ptr.Deref(status.DrainProgress, 0) != 0 || status.EvictionPods != 1 {
			t.Errorf("the second drain begins at %d%% of %d pods, want 0%% of 1", ptr.Deref(status.DrainProgress, 0),
				status.EvictionPods)
		}
	})
}

func TestDriftIsRepaired(t *testing.T) {
	tests := map[string]func(*corev1.Node){
		"uncordoned": drainertest.Uncordon,
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
			inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.wantPhase("a", v1beta1.PhaseSucceeded)
				c.wantEvent(c.events(), holdstatus.EventDriftRepaired, 0)
				c.changeNode(drainertest.NodeName, drift)
				c.wantCordoned(drainertest.NodeName, true)
				c.wantEvent(c.events(), holdstatus.EventDriftRepaired, 2) // on the node, and on the hold
				c.delete("a")
				c.wantCordoned(drainertest.NodeName, false)
			})
		})
	}
}

func TestNodeThatAppearsLater(t *testing.T) {
	inCluster(t, with(), func(c *cluster) {
		if c.drainer.HasNode(drainertest.NodeName) {
			t.Error("a node is there that is not")
		}
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wantPhase("a", v1beta1.PhasePending)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonNodeNotFound)
		c.Add(drainertest.Node{}.Object())
		c.wait(holdstatus.WriteInterval)
		c.wantCordoned(drainertest.NodeName, true)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantEvent(c.events(), holdstatus.EventNodeReplaced, 0)
	})
}

func TestNodeNeverThereCanBeLetGo(t *testing.T) {
	inCluster(t, with(), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.delete("a")
		c.wantNoHold("a")
	})
}

func TestNodeDeletedMeanwhile(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.Remove(c.node(drainertest.NodeName))
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhasePending)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonNodeDeleted)
		c.delete("a")
		c.wantNoHold("a")
	})
}

func TestNodeReplaced(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.Remove(c.node(drainertest.NodeName))
		c.Add(drainertest.Node{Unschedulable: true, UID: "another"}.Object())
		c.Add(drainertest.Pod{Name: "web-1"}.Object())
		c.wait(2 * holdstatus.WriteInterval)
		c.wantCordoned(drainertest.NodeName, true)
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wantEvictions(map[string]int{"web-1": 1})
		status := c.hold("a").Status
		if status.NodeUID != "another" || status.NodeBefore == nil || !status.NodeBefore.Unschedulable {
			t.Errorf("nodeBefore is not that of the new node: %+v", status)
		}
		if events := c.events(); !slices.Contains(events, holdstatus.EventNodeReplaced) {
			t.Errorf("no event says so: %v", events)
		}
		c.finish("web-1")
		c.wantPhase("a", v1beta1.PhaseSucceeded)
	})
}

func TestRestartOfADrainedHoldDoesNotFlap(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
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
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-0"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", GracePeriodSeconds: 86400}.Object())
		for range 100 {
			c.changePod("web-0", func(pod *corev1.Pod) { pod.Labels["app"] += "x" })
			c.Add(drainertest.Pod{Name: "late-" + time.Now().Format("050.000"), Unmanaged: true}.Object())
			c.wait(0)
		}
		written := c.StatusWrites("a")
		elapsed := time.Since(written[0])
		if writes, most := len(written), int(elapsed/holdstatus.WriteInterval)+holdstatus.WriteBurst+1; writes > most || writes < most/2 {
			t.Errorf("%d writes in %s, want up to %d", writes, elapsed, most)
		}
		before := len(c.StatusWrites("a"))
		c.wait(time.Hour)
		if after := len(c.StatusWrites("a")); after > before+2 {
			t.Errorf("%d writes while nothing happened", after-before)
		}
	})
}

func TestWatchesOnlyNodesUnderDrain(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Node{Name: "worker-2"}.Object(),
		drainertest.Node{Name: "worker-3"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.create(drainertest.Hold{Name: "b", Node: "worker-2", Stage: v1beta1.StageCordon}.Object())
		if watched := c.watched(); !slices.Equal(watched, []string{drainertest.NodeName}) {
			t.Errorf("the pods of %v are watched, want those of %s", watched, drainertest.NodeName)
		}
		c.wantCordoned("worker-2", true)
		c.wantPhase("b", v1beta1.PhaseSucceeded)
		c.wantCordoned("worker-3", false)
	})
}

func TestBlockedNodeDelaysNoOther(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{Name: "free"}.Object(),
			drainertest.Budget{Name: "stuck", App: "stuck", Desired: 9, Healthy: 9, Expected: 9}.Object())
		for i := range 50 {
			name := "blocked-" + string(rune('a'+i%26)) + string(rune('a'+i/26))
			c.Add(drainertest.Node{Name: name}.Object())
			c.Add(drainertest.Pod{Name: "pod-" + name, App: "stuck", Node: name}.Object())
			c.Add(drainertest.Hold{Name: "hold-" + name, Node: name}.Object())
		}
		return c
	}, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wantEvictions(map[string]int{"free": 1})
	})
}

func TestNodeConditions(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object()), func(c *cluster) {
		want := func(when string, want map[corev1.NodeConditionType]corev1.ConditionStatus) {
			t.Helper()
			got := map[corev1.NodeConditionType]corev1.ConditionStatus{}
			for _, condition := range nodemarks.OurConditions(c.node(drainertest.NodeName)) {
				got[condition.Type] = condition.Status
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: conditions (-want +got):\n%s", when, diff)
			}
		}
		c.create(drainertest.Hold{Name: "a"}.Object())
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
		c.Add(drainertest.Pod{Name: "web-2"}.Object())
		c.create(drainertest.Hold{Name: "b", SelectApp: "nothing"}.Object())
		want("drained of selected pods", map[corev1.NodeConditionType]corev1.ConditionStatus{
			corev1.NodeMaintenanceInProgress: corev1.ConditionTrue,
			corev1.NodeDrainInProgress:       corev1.ConditionFalse,
			corev1.NodeDrained:               corev1.ConditionFalse,
		})
		if !slices.ContainsFunc(c.node(drainertest.NodeName).Status.Conditions,
			func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady }) {
			t.Error("the node's own conditions are gone")
		}
	})
}

// Many holds that are created at once are not slowed down by what has no hurry.
func TestNothingToDoIsSaidAfterAWhile(t *testing.T) {
	tests := map[string]struct {
		hold       drainertest.Hold
		wantAtOnce bool
	}{
		"idle":         {hold: drainertest.Hold{Stage: v1beta1.StageIdle}},
		"missing node": {hold: drainertest.Hold{Node: "worker-9"}},
		"cordon":       {hold: drainertest.Hold{Stage: v1beta1.StageCordon}, wantAtOnce: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
				test.hold.Name, test.hold.Created = "a", time.Now()
				test.hold.Change = func(h *v1beta1.NodeMaintenance) { h.Status.Phase = v1beta1.PhasePending }
				c.create(test.hold.Object())
				if got := len(c.StatusWrites("a")); (got > 0) != test.wantAtOnce {
					t.Errorf("the status was written %d times at once", got)
				}
				c.wait(holdstatus.WriteInterval)
				if reason := holdstatus.ConditionReason(c.hold("a").Status, v1beta1.ConditionCordoned); reason == "" {
					t.Error("the status still says nothing")
				}
			})
		})
	}
}
