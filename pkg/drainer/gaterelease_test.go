// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// wantReleased wants the gate to have been released so often, the last time while the finalizers of
// these holds were there, and the node carried no mark of ours.
func (c *cluster) wantReleased(gate *fakeGate, times int, holds ...string) {
	c.t.Helper()
	type moment struct {
		Times    int
		Cordoned bool
		Holds    []string
	}
	want := moment{Times: times, Holds: holds}
	now := gate.now()
	got := moment{Times: now.released, Cordoned: now.atRelease.cordoned, Holds: now.atRelease.holds}
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("release of the gate (-want +got):\n%s", diff)
	}
}

func TestGateIsReleasedAfterTheLastHold(t *testing.T) {
	gated(t, make([]Verdict, 2), func(c *cluster, gates ...*fakeGate) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.create(drainertest.Hold{Name: "b", Stage: v1beta1.StageCordon}.Object())
		c.delete("a")
		c.wantNoHold("a")
		c.wantReleased(gates[0], 0)
		c.wantCordoned(drainertest.NodeName, true)
		c.delete("b")
		c.wantNoHold("b")
		for _, gate := range gates {
			c.wantReleased(gate, 1, "b")
		}
		c.wantCordoned(drainertest.NodeName, false)
	})
}

func TestGateIsReleasedWhateverBecameOfTheNode(t *testing.T) {
	tests := map[string]struct {
		verdict Verdict
		meet    func(c *cluster)
	}{
		"the hold waited": {verdict: forTurn(time.Minute)},
		"the node is gone": {
			meet: func(c *cluster) { c.Remove(c.node(drainertest.NodeName)) },
		},
		"the node is gone, and the hold waited": {
			verdict: forTurn(time.Minute),
			meet:    func(c *cluster) { c.Remove(c.node(drainertest.NodeName)) },
		},
		"somebody took the marks off": {
			meet: func(c *cluster) {
				c.stop()
				c.Replace(drainertest.Node{}.Object())
				c.Delete(c.hold("a"))
				c.start()
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			gated(t, []Verdict{test.verdict}, func(c *cluster, gates ...*fakeGate) {
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.wait(holdstatus.WriteInterval)
				c.wantReleased(gates[0], 0)
				gates[0].refuse(errors.New("no answer from the lease"))
				if test.meet != nil {
					test.meet(c)
				}
				if c.hold("a").DeletionTimestamp == nil {
					c.delete("a")
				}
				c.wait(time.Minute)
				c.wantStillHeldFor(gates[0])
				gates[0].refuse(nil)
				c.wait(time.Minute)
				c.wantNoHold("a")
				c.wantReleased(gates[0], gates[0].now().released, "a")
			})
		})
	}
}

// wantStillHeldFor wants hold a to stay until the gate is released, and to say so.
func (c *cluster) wantStillHeldFor(gate *fakeGate) {
	c.t.Helper()
	now := gate.now()
	if got := c.hold("a").Status.LastError; got != now.releaseErr.Error() {
		c.t.Errorf("lastError is %q, want %q", got, now.releaseErr)
	}
	if now.released < 2 {
		c.t.Errorf("the release that failed was tried %d times", now.released)
	}
}

// A hold that asks for nothing any more says why its node is not done with, and says it steadily.
func TestReleaseThatFailsForAHoldThatStays(t *testing.T) {
	ends := map[string]func(c *cluster){
		"idle": func(c *cluster) { c.change("a", drainertest.SetStage(v1beta1.StageIdle)) },
		"node gone": func(c *cluster) {
			c.Remove(c.node(drainertest.NodeName))
			c.settle()
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			gated(t, make([]Verdict, 1), func(c *cluster, gates ...*fakeGate) {
				c.create(drainertest.Hold{Name: "a"}.Object())
				gates[0].refuse(errors.New("no answer from the lease"))
				end(c)
				c.wait(time.Minute)
				c.wantStillHeldFor(gates[0])
				written := c.hold("a").ResourceVersion
				c.wait(10 * time.Minute)
				if now := c.hold("a").ResourceVersion; now != written {
					t.Errorf("the status was written again and again: %s, then %s", written, now)
				}
				gates[0].refuse(nil)
				c.wait(time.Minute)
				if got := c.hold("a").Status.LastError; got != "" {
					t.Errorf("lastError is %q still", got)
				}
				c.wantPhase("a", v1beta1.PhasePending)
			})
		})
	}
}

// A node that is given back because nobody holds it any more is given back to the gates, too.
func TestGateIsReleasedForANodeLeftBehind(t *testing.T) {
	gated(t, make([]Verdict, 1), func(c *cluster, gates ...*fakeGate) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.stop()
		c.Remove(c.hold("a")) // as a store does that is put back to an older state
		gates[0].refuse(errors.New("no answer from the lease"))
		c.start()
		c.wait(time.Minute)
		c.wantCordoned(drainertest.NodeName, false)
		gates[0].refuse(nil)
		tried := gates[0].now().released
		c.wait(time.Minute)
		if gates[0].now().released == tried {
			t.Errorf("the release that failed was not tried again after %d times", tried)
		}
	})
}

// What the gates hold for a node that another store's server has out of service is that server's, too.
func TestGateIsReleasedAfterAnotherStoresGiveBack(t *testing.T) {
	ends := map[string]struct {
		end       func(c *cluster)
		wantHolds []string
	}{
		"deleted": {end: func(c *cluster) { c.delete("a"); c.wantNoHold("a") }},
		"idle":    {end: func(c *cluster) { c.change("a", drainertest.SetStage(v1beta1.StageIdle)) }, wantHolds: []string{"a"}},
	}
	for name, test := range ends {
		t.Run(name, func(t *testing.T) {
			var gate *fakeGate
			inCluster(t, func(t *testing.T) *cluster {
				c := newCluster(t, drainertest.Node{}.Object())
				gate = &fakeGate{cluster: c}
				return c
			}, func(c *cluster) {
				other := c.besides()
				defer func() { other.stop() }()
				other.create(drainertest.Hold{Name: "theirs"}.Object())
				c.restartWith(gate)
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.wantHeldBy("store-2")
				test.end(c)
				c.wait(10 * time.Minute)
				c.wantReleased(gate, 0)
				other.delete("theirs")
				c.wait(time.Minute)
				c.wantCordoned(drainertest.NodeName, false)
				if gate.now().released == 0 {
					t.Error("the gate was not released when the other server had given the node back")
				}
				c.wantReleased(gate, gate.now().released, test.wantHolds...)
			})
		})
	}
}

// restartWith has the drainer end, and another one start that has these gates.
func (c *cluster) restartWith(gates ...Gate) {
	c.t.Helper()
	c.stop()
	c.config.Gates = gates
	c.start()
}

// A gate that keeps a node has it stay as it is, and its hold say why, until the gate lets it go.
func TestGateKeepsTheNode(t *testing.T) {
	gated(t, make([]Verdict, 2), func(c *cluster, gates ...*fakeGate) {
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
		c.wait(holdstatus.WriteInterval)
		before := c.node(drainertest.NodeName)
		gates[1].keep(forTurn(time.Minute))
		c.delete("a")
		c.wait(10 * time.Minute)
		c.wantSameNode(before)
		if got, want := c.hold("a").Status.LastError, forTurn(0).Wait.Message; got != want {
			t.Errorf("lastError is %q, want %q", got, want)
		}
		c.wantReleased(gates[0], 0)
		if writes := len(c.StatusWrites("a")); writes > 4 {
			t.Errorf("the status was written %d times", writes)
		}
		gates[1].keep(Verdict{})
		c.wait(time.Minute)
		c.wantNoHold("a")
		c.wantCordoned(drainertest.NodeName, false)
		c.wantReleased(gates[0], 1, "a")
	})
}

// A hold that waits to be admitted says so while a gate keeps its node, and not what the node waits for.
func TestHoldThatWaitsOnANodeThatIsKept(t *testing.T) {
	gated(t, make([]Verdict, 1), func(c *cluster, gates ...*fakeGate) {
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
		c.wait(holdstatus.WriteInterval)
		c.leadAnew(&fakeAdmission{answers: map[string]holdstatus.Admitted{"b": queued(v1beta1.StageIdle, "the policy is closed")}})
		gates[0].keep(forTurn(time.Minute))
		c.delete("a")
		c.create(drainertest.Hold{Name: "b"}.Object())
		c.wait(time.Minute)
		waiting := c.hold("b").Status
		if waiting.Phase != v1beta1.PhasePending || waiting.LastError != "" || waiting.Admission == nil || waiting.ObservedGeneration == 0 {
			t.Errorf("the hold says %+v, want that it waits to be admitted", waiting)
		}
		c.wantCondition("b", v1beta1.ConditionCordoned, metav1.ConditionFalse, v1beta1.ReasonNotAdmitted)
		if holdstatus.Kept(waiting) != nil {
			t.Errorf("the hold says that the node is kept: %+v", holdstatus.Kept(waiting))
		}
		if got, want := c.hold("a").Status.LastError, forTurn(0).Wait.Message; got != want {
			t.Errorf("lastError of the hold that ends is %q, want %q", got, want)
		}
	})
}

// A gate that names a node that nobody holds is released once, unless the node may be in maintenance by others.
func TestGateIsReleasedForANodeThatItNames(t *testing.T) {
	tests := map[string]struct {
		node         drainertest.Node
		hold         []drainertest.Object
		wantReleased int
	}{
		"in service":                {wantReleased: 1},
		"of another name":           {node: drainertest.Node{Name: "worker-9"}, wantReleased: 1},
		"cordoned by somebody else": {node: drainertest.Node{Unschedulable: true}},
		"tainted by somebody else":  {node: drainertest.Node{Taints: []string{v1beta1.DrainTaint}}},
		"held":                      {hold: []drainertest.Object{drainertest.Hold{Name: "a"}.Object()}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var gate *fakeGate
			inCluster(t, func(t *testing.T) *cluster {
				c := newCluster(t, append(test.hold, test.node.Object())...)
				gate = &fakeGate{cluster: c, names: []string{drainertest.NodeName}}
				c.config.Gates = []Gate{gate}
				return c
			}, func(c *cluster) {
				c.wait(10 * time.Minute)
				c.wantReleased(gate, test.wantReleased)
			})
		})
	}
}
