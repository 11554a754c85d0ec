// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// lose has the server be unable to read the hold, but for its node if that is given. It returns the hold as it was.
func (c *cluster) lose(name, node string) *v1beta1.NodeMaintenance {
	c.t.Helper()
	before := c.hold(name)
	drainertest.Lose(c.Server, before, func(lost *v1beta1.NodeMaintenance) { lost.Spec.NodeName = node })
	c.settle()
	return before
}

// podOnEach is a cluster with two nodes, one pod on each.
func podOnEach(t *testing.T) *cluster {
	return newCluster(t, drainertest.Node{}.Object(), drainertest.Node{Name: "other"}.Object(),
		drainertest.Pod{Name: "web-1"}.Object(), drainertest.Pod{Name: "web-2", Node: "other"}.Object())
}

// A hold that cannot be read keeps its node, whatever is known of it, and before and after a restart. Another node is drained
// and given back meanwhile. Once the hold is read again, it goes on; once it is deleted, the node is given back.
func TestUnreadableHold(t *testing.T) {
	for name, known := range map[string]string{"its node is known": drainertest.NodeName, "its node is not known": ""} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, podOnEach, func(c *cluster) {
				before, other := c.node(drainertest.NodeName), c.node("other")
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.wait(holdstatus.WriteInterval)
				c.events()
				taken := c.node(drainertest.NodeName)
				hold := c.lose("a", known)
				c.wantEvent(c.events(), holdstatus.EventUnreadable, 1)
				c.finish("web-1")

				c.create(drainertest.Hold{Name: "b", Node: "other"}.Object())
				c.finish("web-2")
				c.wait(holdstatus.WriteInterval)
				c.wantPhase("b", v1beta1.PhaseSucceeded)
				c.delete("b")
				c.wantNoHold("b")
				c.wantSameNode(other)
				c.stop()
				c.start()
				c.wait(time.Hour)
				c.wantCordoned(drainertest.NodeName, true)
				if note := c.node(drainertest.NodeName).Annotations; !cmp.Equal(note, taken.Annotations) {
					t.Errorf("the annotations are %v, want %v", note, taken.Annotations)
				}

				hold.ResourceVersion = ""
				c.Replace(hold)
				c.wait(holdstatus.WriteInterval)
				c.wantPhase("a", v1beta1.PhaseSucceeded)
				c.lose("a", known)
				c.Remove(c.hold("a"))
				c.settle()
				c.wantSameNode(before)
			})
		})
	}
}

// Beside others on the node, a hold that cannot be read does not stop them, but keeps the node when they end, although the
// annotation is written anew in between.
func TestUnreadableHoldBesideOthers(t *testing.T) {
	for name, known := range map[string]string{"its node is known": drainertest.NodeName, "its node is not known": ""} {
		t.Run(name, func(t *testing.T) {
			inCluster(t, twoPods, func(c *cluster) {
				c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
				taken := nodemarks.ReadNote(c.node(drainertest.NodeName))
				c.lose("a", known)
				written := len(c.StatusWrites("a"))
				c.create(drainertest.Hold{Name: "b"}.Object())
				c.wait(holdstatus.WriteInterval)
				c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
				c.finish("web-1", "web-2")
				c.wait(holdstatus.WriteInterval)
				c.wantPhase("b", v1beta1.PhaseSucceeded)
				note := nodemarks.ReadNote(c.node(drainertest.NodeName))
				if note.Entry("b") == nil || !cmp.Equal(note.Entry("a"), taken.Entry("a")) {
					t.Errorf("the annotation names %+v, want b, and what it said of a: %+v", note.Holds, taken.Holds)
				}
				c.delete("b")
				c.wait(time.Hour)
				c.wantCordoned(drainertest.NodeName, true)
				c.wantError("b", "is not given back: the server cannot read what it has stored of NodeMaintenance a: bits flipped")
				if now := len(c.StatusWrites("a")); now != written {
					t.Errorf("the status of the hold that cannot be read was written %d times", now-written)
				}
			})
		})
	}
}

// An annotation that has no room for all holds may mean any that cannot be read.
func TestLostHoldsAmongMany(t *testing.T) {
	inCluster(t, twoPods, func(c *cluster) {
		names := slices.Collect(func(yield func(string) bool) {
			for i := range nodemarks.MaxAnnotatedHolds + 1 {
				if !yield(string(rune('a' + i))) {
					return
				}
			}
		})
		for _, name := range names {
			c.create(drainertest.Hold{Name: name, Stage: v1beta1.StageCordon}.Object())
		}
		c.wait(holdstatus.WriteInterval)
		last := names[len(names)-1]
		c.lose(last, "")
		for _, name := range names[:len(names)-1] {
			c.delete(name)
		}
		c.wait(time.Hour)
		c.wantCordoned(drainertest.NodeName, true)
		c.Remove(c.hold(last))
		c.settle()
		c.wantCordoned(drainertest.NodeName, false)
	})
}
