// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// fakeGate answers as it is told to, and notes what it is asked. All of it is guarded by the lock of its
// cluster.
type fakeGate struct {
	cluster *cluster
	// verdict and acquireErr answer Acquire, releaseErr answers Release.
	verdict                Verdict
	acquireErr, releaseErr error
	// keeps answers MayGiveBack.
	keeps Verdict
	// names are the nodes that Run wakes at once.
	names []string
	// acquired are the names of the holds that it was asked for, one entry for each call.
	acquired [][]string
	// recorded is what hold a had recorded when it was asked for that hold the first time.
	recorded *v1beta1.NodeBefore
	released int
	// atRelease is what the node of the last call of Release looked like, and whose finalizers were there.
	atRelease releaseMoment
}

type releaseMoment struct {
	cordoned bool
	holds    []string
}

// Acquire implements Gate.
func (g *fakeGate) Acquire(
	_ context.Context, _ *corev1.Node, holds []*v1beta1.NodeMaintenance,
) (verdict Verdict, err error) {
	var names []string
	for _, hold := range holds {
		names = append(names, hold.Name)
	}
	g.cluster.Locked(func() {
		hold := drainertest.Find[*v1beta1.NodeMaintenance](g.cluster.Store, "", "a")
		if hold != nil && !slices.ContainsFunc(g.acquired, func(names []string) bool { return slices.Contains(names, "a") }) {
			g.recorded = hold.Status.NodeBefore.DeepCopy()
		}
		g.acquired = append(g.acquired, names)
		verdict, err = g.verdict, g.acquireErr
	})
	return verdict, err
}

// Run implements Gate.
func (g *fakeGate) Run(_ context.Context, wake func(string)) {
	for _, node := range g.now().names {
		wake(node)
	}
}

// MayGiveBack implements Keeper.
func (g *fakeGate) MayGiveBack(context.Context, *corev1.Node) (verdict Verdict, err error) {
	g.cluster.Locked(func() { verdict = g.keeps })
	return verdict, nil
}

// keep has MayGiveBack answer so from now on.
func (g *fakeGate) keep(verdict Verdict) {
	g.cluster.Locked(func() { g.keeps = verdict })
}

// Release implements Gate.
func (g *fakeGate) Release(_ context.Context, name string) (err error) {
	g.cluster.Locked(func() {
		g.released++
		node := drainertest.Find[*corev1.Node](g.cluster.Store, "", name)
		g.atRelease = releaseMoment{cordoned: node != nil && nodemarks.Annotated(node)}
		for _, hold := range drainertest.All[*v1beta1.NodeMaintenance](g.cluster.Store) {
			if slices.Contains(hold.Finalizers, v1beta1.UncordonFinalizer) {
				g.atRelease.holds = append(g.atRelease.holds, hold.Name)
			}
		}
		err = g.releaseErr
	})
	return err
}

// answer has Acquire answer so from now on.
func (g *fakeGate) answer(verdict Verdict, err error) {
	g.cluster.Locked(func() { g.verdict, g.acquireErr = verdict, err })
}

// refuse has Release fail so from now on; nil: not any more.
func (g *fakeGate) refuse(err error) {
	g.cluster.Locked(func() { g.releaseErr = err })
}

// now is a copy of the gate as it is now.
func (g *fakeGate) now() (copied fakeGate) {
	g.cluster.Locked(func() { copied = *g })
	return copied
}

// asked is how often Acquire was called.
func (g *fakeGate) asked() (times int) {
	g.cluster.Locked(func() { times = len(g.acquired) })
	return times
}

// forTurn is what a node waits for that is not to be taken yet.
func forTurn(again time.Duration) Verdict {
	return Verdict{Wait: &holdstatus.Wait{Reason: "NotItsTurn", Message: "2 of 2 nodes of the zone are in maintenance"}, Again: again}
}

// gated runs a test in a cluster with a node, two pods, and a gate for each answer.
func gated(t *testing.T, verdicts []Verdict, test func(c *cluster, gates ...*fakeGate)) {
	t.Helper()
	var gates []*fakeGate
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(),
			drainertest.Pod{Name: "web-1"}.Object(), drainertest.Pod{Name: "web-2"}.Object())
		for _, verdict := range verdicts {
			gates = append(gates, &fakeGate{cluster: c, verdict: verdict})
			c.config.Gates = append(c.config.Gates, gates[len(gates)-1])
		}
		return c
	}, func(c *cluster) { test(c, gates...) })
}

// wantWaiting wants hold a to say that the node waits, and nothing to have been done.
func (c *cluster) wantWaiting(verdict Verdict) {
	c.t.Helper()
	c.wantPhase("a", v1beta1.PhasePending)
	type said struct {
		Status          metav1.ConditionStatus
		Reason, Message string
	}
	want := said{Status: metav1.ConditionFalse, Reason: verdict.Wait.Reason, Message: verdict.Wait.Message}
	for _, kind := range []string{v1beta1.ConditionCordoned, v1beta1.ConditionDrained} {
		condition := apimeta.FindStatusCondition(c.hold("a").Status.Conditions, kind)
		got := said{Status: condition.Status, Reason: condition.Reason, Message: condition.Message}
		if diff := cmp.Diff(want, got); diff != "" {
			c.t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

func TestGateHasTheNodeWait(t *testing.T) {
	gated(t, []Verdict{forTurn(time.Minute)}, func(c *cluster, gates ...*fakeGate) {
		before := c.node(drainertest.NodeName)
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(holdstatus.WriteInterval)
		c.wantWaiting(forTurn(0))
		c.wantSameNode(before)
		c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})
		if said := nodemarks.OurConditions(c.node(drainertest.NodeName)); len(said) > 0 {
			t.Errorf("the node says %v, and was never cordoned", said)
		}
		c.wantRecordedFirst(gates[0])

		asked := gates[0].asked()
		c.wait(time.Minute - 5*time.Second)
		c.wantAsked(gates[0], asked)
		c.wait(5 * time.Second)
		c.wantAsked(gates[0], asked+1)
		c.wantWaiting(forTurn(0))

		gates[0].answer(Verdict{}, nil)
		c.wait(time.Minute)
		c.wantCordoned(drainertest.NodeName, true)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
		c.finish("web-1", "web-2")
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantRecordedFirst(gates[0])
		c.delete("a")
		c.wantSameNode(before)
	})
}

// wantRecordedFirst wants hold a to have recorded the node as it was before the cordon, and before the
// gate was asked.
func (c *cluster) wantRecordedFirst(gate *fakeGate) {
	c.t.Helper()
	want := &v1beta1.NodeBefore{AddedTaints: []string{drainText}}
	for when, got := range map[string]*v1beta1.NodeBefore{
		"when the gate was asked": gate.now().recorded, "now": c.hold("a").Status.NodeBefore,
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			c.t.Errorf("nodeBefore %s (-want +got):\n%s", when, diff)
		}
	}
}

func (c *cluster) wantAsked(gate *fakeGate, want int) {
	c.t.Helper()
	if got := gate.asked(); got != want {
		c.t.Errorf("the gate was asked %d times, want %d", got, want)
	}
}

// A gate that names no time is asked when something wakes the node.
func TestGateIsAskedWhenTheNodeIsWoken(t *testing.T) {
	gated(t, []Verdict{forTurn(0)}, func(c *cluster, gates ...*fakeGate) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(holdstatus.WriteInterval)
		asked := gates[0].asked()
		gates[0].answer(Verdict{}, nil)
		c.wait(time.Hour)
		c.wantAsked(gates[0], asked)
		c.wantCordoned(drainertest.NodeName, false)
		c.drainer.Wake(drainertest.NodeName)
		c.settle()
		c.wantCordoned(drainertest.NodeName, true)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
	})
}

// A gate is asked for the holds that have the node cordoned, of whatever stage.
func TestGateIsAskedForTheHoldsThatCordon(t *testing.T) {
	gated(t, []Verdict{forTurn(time.Minute)}, func(c *cluster, gates ...*fakeGate) {
		c.Add(drainertest.Hold{Name: "idle", Stage: v1beta1.StageIdle}.Object(),
			drainertest.Hold{Name: "b", Stage: v1beta1.StageCordon}.Object())
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
		c.wait(time.Minute)
		acquired := gates[0].now().acquired
		got := acquired[len(acquired)-1]
		if want := []string{"a", "b"}; !slices.Equal(got, want) {
			t.Errorf("it was asked for holds %v, want %v", got, want)
		}
		c.wantWaiting(forTurn(0))
		c.wantCondition("idle", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonStageIdle)
	})
}

func TestGateThatFailsIsAskedAgain(t *testing.T) {
	gated(t, make([]Verdict, 1), func(c *cluster, gates ...*fakeGate) {
		gates[0].answer(Verdict{}, errors.New("no answer from the lease"))
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonCordonFailed)
		if got := c.hold("a").Status.LastError; got != "no answer from the lease" {
			t.Errorf("lastError is %q", got)
		}
		c.wantCordoned(drainertest.NodeName, false)
		c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})
		gates[0].answer(forTurn(time.Minute), nil)
		c.wait(time.Minute)
		c.wantWaiting(forTurn(0))
		if got := c.hold("a").Status.LastError; got != "" {
			t.Errorf("lastError is %q still", got)
		}
		gates[0].answer(Verdict{}, nil)
		c.wait(time.Minute)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionTrue, v1beta1.ReasonCordoned)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
	})
}

// Without an answer of a gate it is not known that anything is wrong with a node in maintenance.
func TestGateThatFailsLeavesAMaintenanceAsItIs(t *testing.T) {
	gated(t, make([]Verdict, 1), func(c *cluster, gates ...*fakeGate) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.create(drainertest.Hold{Name: "idle", Stage: v1beta1.StageIdle}.Object())
		c.finish("web-1", "web-2")
		c.wait(2 * holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		before, idle := c.hold("a").Status, c.hold("idle").Status
		c.events()

		gates[0].answer(Verdict{}, errors.New("no answer from the lease"))
		c.Add(drainertest.Pod{Name: "web-3"}.Object())
		c.wait(10 * time.Minute)
		want := *before.DeepCopy()
		want.LastError = "no answer from the lease"
		if now := c.hold("a").Status; !holdstatus.SameStatus(want, now) {
			t.Errorf("the status without an answer (-want +got):\n%s", cmp.Diff(want, now))
		}
		if now := c.hold("idle").Status; !holdstatus.SameStatus(idle, now) {
			t.Errorf("the status of the idle hold (-want +got):\n%s", cmp.Diff(idle, now))
		}
		if told := c.events(); len(told) > 0 {
			t.Errorf("there are events: %v", told)
		}
		c.wantCordoned(drainertest.NodeName, true)
		c.wantEvictions(map[string]int{"web-3": 0})

		gates[0].answer(Verdict{}, nil)
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-3": 1})
		c.finish("web-3")
		c.wait(2 * holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		if got := c.hold("a").Status.LastError; got != "" {
			t.Errorf("lastError is %q still", got)
		}
	})
}

func TestAllGatesMustAgree(t *testing.T) {
	first, second := forTurn(time.Minute), Verdict{Wait: &holdstatus.Wait{Reason: "QuorumGuard", Message: "1 of 3 members is away"}}
	gated(t, []Verdict{first, second}, func(c *cluster, gates ...*fakeGate) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(time.Minute)
		c.wantWaiting(first)
		c.wantAsked(gates[1], 0)

		gates[0].answer(Verdict{}, nil)
		c.wait(time.Minute)
		c.wantWaiting(second)
		c.wantCordoned(drainertest.NodeName, false)
		c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})

		gates[1].answer(Verdict{}, nil)
		c.drainer.Wake(drainertest.NodeName)
		c.settle()
		c.wantCordoned(drainertest.NodeName, true)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
	})
}

// A gate that has a node wait that is being drained stops the evictions, and leaves the cordon.
func TestGateThatHasADrainWait(t *testing.T) {
	gated(t, make([]Verdict, 1), func(c *cluster, gates ...*fakeGate) {
		budget := drainertest.Budget{Name: "web", Version: "1", Desired: 1, Healthy: 2, Expected: 2, Allowed: 1}
		c.changeBudget(budget.Object())
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 0})

		gates[0].answer(forTurn(time.Minute), nil)
		c.finish("web-1")
		c.wait(holdstatus.WriteInterval)
		budget.Version, budget.Desired = "2", 0
		budget.Healthy, budget.Expected = 1, 1
		c.changeBudget(budget.Object())
		c.wait(time.Hour)
		c.wantWaiting(forTurn(0))
		c.wantCordoned(drainertest.NodeName, true)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 0})

		gates[0].answer(Verdict{}, nil)
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
		c.finish("web-2")
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
	})
}

// What somebody does to a node that waits is not undone when its hold ends.
func TestCordonOfANodeThatWaitsIsNotUndone(t *testing.T) {
	gated(t, []Verdict{forTurn(time.Minute)}, func(c *cluster, _ ...*fakeGate) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.changeNode(drainertest.NodeName, drainertest.Cordon)
		before := c.node(drainertest.NodeName)
		c.wait(time.Minute)
		c.wantWaiting(forTurn(0))
		c.delete("a")
		c.wantNoHold("a")
		c.wantSameNode(before)
	})
}

// That holds too if the node got a taint that the server is told to set.
func TestTaintOfANodeThatWaitsIsNotTakenForOurs(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object())
		c.config.Taints = []corev1.Taint{extraTaint}
		c.config.Gates = []Gate{&fakeGate{cluster: c, verdict: forTurn(time.Minute)}}
		return c
	}, func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(holdstatus.WriteInterval)
		c.wantWaiting(forTurn(0))
		c.changeNode(drainertest.NodeName, func(node *corev1.Node) {
			drainertest.Cordon(node)
			node.Spec.Taints = append(node.Spec.Taints, extraTaint)
		})
		before := c.node(drainertest.NodeName)
		c.delete("a")
		c.wantNoHold("a")
		c.wantSameNode(before)
	})
}

// Without gates no request is made that a gate would need: a node that does not exist is not asked for.
func TestWithoutGatesNothingIsAsked(t *testing.T) {
	tests := map[string]struct {
		gate      func(*fakeGate) Gate
		wantReads bool
	}{
		"no gate":                  {},
		"a gate":                   {gate: func(g *fakeGate) Gate { return g }, wantReads: true},
		"one that holds nothing":   {gate: func(g *fakeGate) Gate { return memoryGate{fakeGate: g} }},
		"one that holds something": {gate: func(g *fakeGate) Gate { return memoryGate{fakeGate: g, holds: true} }, wantReads: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, func(t *testing.T) *cluster {
				c := newCluster(t)
				if test.gate != nil {
					c.config.Gates = []Gate{test.gate(&fakeGate{cluster: c})}
				}
				return c
			}, func(c *cluster) {
				c.create(drainertest.Hold{Name: "a", Node: "worker-9"}.Object())
				c.wait(time.Minute)
				c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonNodeNotFound)
				reads := 0
				for _, action := range c.Kube.Actions() {
					if action.GetVerb() == "get" {
						reads++
					}
				}
				if (reads > 0) != test.wantReads {
					t.Errorf("%d reads past the cache, want any: %t", reads, test.wantReads)
				}
			})
		})
	}
}

// memoryGate is a fakeGate that knows whether it holds something.
type memoryGate struct {
	*fakeGate
	holds bool
}

func (g memoryGate) Holds(string) bool { return g.holds }
