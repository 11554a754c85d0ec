// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// quiesce is a stage of a version to come.
const quiesce v1beta1.MaintenanceStage = "Quiesce"

// twoPods is a cluster with a node and two pods on it.
func twoPods(t *testing.T) *cluster {
	return newCluster(t, drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object(), drainertest.Pod{Name: "web-2"}.Object())
}

// wantError wants the lastError of the hold to have each of the parts.
func (c *cluster) wantError(name string, parts ...string) {
	c.t.Helper()
	for _, part := range parts {
		if got := c.hold(name).Status.LastError; !strings.Contains(got, part) {
			c.t.Errorf("lastError of hold %s is %q, want it to have %q", name, got, part)
		}
	}
}

func TestUnknownStageOfANodeInService(t *testing.T) {
	inCluster(t, twoPods, func(c *cluster) {
		before := c.node(drainertest.NodeName)
		c.create(drainertest.Hold{Name: "a", Stage: quiesce}.Object())
		c.wait(time.Hour)
		c.wantError("a", `spec.stage is "Quiesce"`, "does not know")
		c.wantSameNode(before)
		c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})

		c.change("a", drainertest.SetStage(v1beta1.StageDrain))
		c.finish("web-1", "web-2")
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.delete("a")
		c.wantNoHold("a")
		c.wantSameNode(before)
	})
}

// A drain that a newer version goes on with stops, and the status stays as that version has written it.
func TestUnknownStageDuringADrain(t *testing.T) {
	inCluster(t, twoPods, func(c *cluster) {
		before := c.node(drainertest.NodeName)
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(holdstatus.WriteInterval)
		want := c.hold("a").Status
		c.change("a", drainertest.SetStage(quiesce))
		c.finish("web-1")
		c.wait(time.Hour)
		c.wantCordoned(drainertest.NodeName, true)
		got := c.hold("a").Status
		c.wantError("a", `spec.stage is "Quiesce"`)
		got.LastError, got.LastUpdate = want.LastError, want.LastUpdate
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the status has changed (-want +got):\n%s", diff)
		}

		c.delete("a")
		c.wantNoHold("a")
		c.wantSameNode(before)
	})
}

// While another hold of the node is to end, the one of unknown stage keeps the node. It has the record of what the
// node was like before, or the ending hold stays.
func TestUnknownStageBesideOthers(t *testing.T) {
	tests := map[string]struct {
		// first is the stage with which the hold begins that is of unknown stage later.
		first     v1beta1.MaintenanceStage
		wantEnded bool
	}{
		"with a record":    {first: v1beta1.StageCordon, wantEnded: true},
		"without a record": {first: quiesce},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, twoPods, func(c *cluster) {
				before := c.node(drainertest.NodeName)
				c.create(drainertest.Hold{Name: "a", Stage: test.first}.Object())
				c.create(drainertest.Hold{Name: "b"}.Object())
				c.change("a", drainertest.SetStage(quiesce))
				c.wait(holdstatus.WriteInterval)
				c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
				c.wantError("a", `spec.stage is "Quiesce"`)

				c.delete("b")
				c.wait(time.Hour)
				c.wantCordoned(drainertest.NodeName, true)
				if test.wantEnded {
					c.wantNoHold("b")
				} else {
					c.wantError("b", "is not given back", `stage of NodeMaintenance a is "Quiesce"`)
				}
				c.change("a", drainertest.SetStage(v1beta1.StageIdle))
				c.wait(holdstatus.WriteInterval)
				c.wantNoHold("b")
				c.wantSameNode(before)
			})
		})
	}
}

// The gates keep what they hold for a node that is left as it is, but for no other.
func TestUnknownStageKeepsTheGates(t *testing.T) {
	gated(t, make([]Verdict, 1), func(c *cluster, gates ...*fakeGate) {
		c.create(drainertest.Hold{Name: "a", Stage: quiesce}.Object())
		c.wait(holdstatus.WriteInterval)
		c.wantAsked(gates[0], 0)
		c.change("a", drainertest.SetStage(v1beta1.StageCordon))
		asked := gates[0].asked()
		c.change("a", drainertest.SetStage(quiesce))
		if gates[0].asked() <= asked {
			t.Errorf("the gate was not asked again")
		}
		if released := gates[0].now().released; released > 0 {
			t.Errorf("the gate was released %d times", released)
		}
	})
}

// What a drain is to do with pods in a way that only a newer version knows, it does not do at all.
func TestUnknownSettingsOfADrain(t *testing.T) {
	tests := map[string]struct {
		hold drainertest.Hold
		want string
	}{
		"action of a rule": {
			hold: drainertest.Hold{Rules: []v1beta1.DrainRule{drainertest.AppRule("db", "Migrate", 0)}},
			want: `spec.drain.rules[0] cannot be used: action is "Migrate"`,
		},
		"onTimeout": {
			hold: drainertest.Hold{Change: func(h *v1beta1.NodeMaintenance) { h.Spec.Drain.OnTimeout = "Stop" }},
			want: `spec.drain cannot be used: onTimeout is "Stop"`,
		},
		"unmanagedPods": {
			hold: drainertest.Hold{Change: func(h *v1beta1.NodeMaintenance) { h.Spec.Drain.UnmanagedPods = "Ask" }},
			want: `spec.drain cannot be used: unmanagedPods is "Ask"`,
		},
		"emptyDirPods": {
			hold: drainertest.Hold{Change: func(h *v1beta1.NodeMaintenance) { h.Spec.Drain.EmptyDirPods = "Copy" }},
			want: `spec.drain cannot be used: emptyDirPods is "Copy"`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, twoPods, func(c *cluster) {
				test.hold.Name = "a"
				c.create(test.hold.Object())
				c.wait(time.Hour)
				c.wantCordoned(drainertest.NodeName, true)
				c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})
				c.wantPhase("a", v1beta1.PhaseRunning)
				c.wantError("a", test.want, "does not know")
			})
		})
	}
}
