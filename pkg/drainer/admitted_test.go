// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// A hold that waits counts as Idle. Once it is admitted, it goes as any other.
func TestWaitingHoldLeavesTheNodeAlone(t *testing.T) {
	policed(t, func(c *cluster) {
		before := c.node(drainertest.NodeName)
		c.admits("a", queued(v1beta1.StageIdle, "full"))
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(time.Hour)
		c.wantSameNode(before)
		c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})
		if got := c.hold("a").Status.NodeBefore; got != nil {
			t.Errorf("it has recorded what the node was like before: %+v", got)
		}

		c.admits("a", admitted(time.Now()))
		c.wantCordoned(drainertest.NodeName, true)
		c.finish("web-1", "web-2")
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantCondition("a", v1beta1.ConditionAdmitted, metav1.ConditionTrue, string(v1beta1.AdmissionAdmitted))
		c.delete("a")
		c.wantNoHold("a")
		c.wantSameNode(before)
	})
}

// A hold may be admitted to less than it asks for.
func TestCordonIsAdmittedBeforeTheDrain(t *testing.T) {
	policed(t, func(c *cluster) {
		c.admits("a", queued(v1beta1.StageCordon, "closed"))
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(time.Hour)
		c.wantCordoned(drainertest.NodeName, true)
		c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})
		c.wantPhase("a", v1beta1.PhasePending)
		c.wantCondition("a", v1beta1.ConditionCordoned, metav1.ConditionTrue, v1beta1.ReasonCordoned)
		c.wantCondition("a", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonNotAdmitted)
		c.wantCondition("a", v1beta1.ConditionAdmitted, metav1.ConditionFalse, string(v1beta1.AdmissionQueued))
		c.admits("a", admitted(time.Now()))
		c.wantEvictions(map[string]int{"web-1": 1, "web-2": 1})
	})
}

// A hold that waits does not keep the node from being given back, and takes no part in the drain of others.
func TestWaitingHoldBesideOthers(t *testing.T) {
	policed(t, func(c *cluster) {
		before := c.node(drainertest.NodeName)
		c.admits("b", queued(v1beta1.StageIdle, "approval needed"))
		c.create(drainertest.Hold{Name: "a", SelectApp: "other"}.Object())
		c.create(drainertest.Hold{Name: "b", TimeoutSeconds: 1, DeleteOnTimeout: true}.Object())
		c.wait(time.Minute)
		c.wantCordoned(drainertest.NodeName, true)
		c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})
		c.wantPhase("b", v1beta1.PhasePending)
		c.wantCondition("b", v1beta1.ConditionDrained, metav1.ConditionFalse, v1beta1.ReasonNotAdmitted)
		c.delete("a")
		c.wantNoHold("a")
		c.wantSameNode(before)
	})
}

// A node stays in maintenance while it is not known whether its hold is admitted, and if that was forgotten.
func TestAdmissionThatDoesNotKnowItsHolds(t *testing.T) {
	starts := map[string]func(c *cluster){
		"without a policy": func(*cluster) {},
		"admitted":         func(c *cluster) { c.admits("a", admitted(time.Now())) },
	}
	then := map[string]*fakeAdmission{
		"nothing is known": {unknown: true},
		"it was forgotten": {answers: map[string]holdstatus.Admitted{"a": queued(v1beta1.StageIdle, "full")}},
	}
	for start, begin := range starts {
		for name, admission := range then {
			t.Run(start+"/"+name, func(t *testing.T) {
				policed(t, func(c *cluster) {
					before := c.node(drainertest.NodeName)
					begin(c)
					c.create(drainertest.Hold{Name: "a"}.Object())
					c.wait(holdstatus.WriteInterval)
					c.finish("web-1")
					c.leadAnew(admission.begins(admission.unknown))
					c.wait(time.Hour)
					c.wantCordoned(drainertest.NodeName, true)
					c.finish("web-2")
					c.wait(time.Minute)
					c.wantPhase("a", v1beta1.PhaseSucceeded)

					c.delete("a")
					c.wantNoHold("a")
					c.wantSameNode(before)
				})
			})
		}
	}
}

// Neither a cordon nor a drain begins while nothing is known, and nothing is said.
func TestNothingBeginsWhileNothingIsKnown(t *testing.T) {
	tests := map[string]struct {
		first, then v1beta1.MaintenanceStage
		want        bool
	}{
		"no cordon":                  {first: v1beta1.StageIdle, then: v1beta1.StageCordon},
		"no drain of a new hold":     {first: v1beta1.StageIdle, then: v1beta1.StageDrain},
		"no drain of a hold's node":  {first: v1beta1.StageCordon, then: v1beta1.StageDrain, want: true},
		"a cordon that is there":     {first: v1beta1.StageCordon, then: v1beta1.StageCordon, want: true},
		"a hold that wants no more":  {first: v1beta1.StageCordon, then: v1beta1.StageIdle},
		"a hold that wanted nothing": {first: v1beta1.StageIdle, then: v1beta1.StageIdle},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			policed(t, func(c *cluster) {
				c.create(drainertest.Hold{Name: "a", Stage: test.first}.Object())
				c.wait(2 * holdstatus.WriteInterval)
				c.stop()
				c.change("a", drainertest.SetStage(test.then))
				want := c.hold("a").Status
				c.leadAnew(&fakeAdmission{unknown: true})
				c.wait(time.Hour)
				c.wantCordoned(drainertest.NodeName, test.want)
				c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})
				if diff := cmp.Diff(want, c.hold("a").Status); test.then == v1beta1.StageDrain && diff != "" {
					t.Errorf("the status has changed (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A node is not given back before it is known whether another hold may keep it.
func TestNodeIsNotGivenBackWhileNothingIsKnown(t *testing.T) {
	policed(t, func(c *cluster) {
		before := c.node(drainertest.NodeName)
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.knows(false)
		c.create(drainertest.Hold{Name: "b"}.Object())
		c.delete("a")
		c.wait(time.Minute)
		c.wantCordoned(drainertest.NodeName, true)
		c.wantError("a", "is not given back yet", "NodeMaintenance b")
		c.policy(func(f *fakeAdmission) { f.unknown, f.answers["b"] = false, queued(v1beta1.StageIdle, "full") })
		c.wantNoHold("a")
		c.wantSameNode(before)
	})
}

// The plan of a hold that waits tells what it would do, and that of another does not reckon with it.
func TestPlanOfAHoldThatWaits(t *testing.T) {
	policed(t, func(c *cluster) {
		c.admits("a", queued(v1beta1.StageIdle, "full"))
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(2 * holdstatus.WriteInterval)
		for name, test := range map[string]struct {
			hold drainertest.Hold
			want int32
		}{
			"its own":   {hold: drainertest.Hold{Name: "a"}, want: 2},
			"another's": {hold: drainertest.Hold{Name: "b", SelectApp: "other"}},
		} {
			hold := test.hold.Object()
			if test.hold.Name == "a" {
				hold = c.hold("a")
			}
			planned, err := c.drainer.Plan(c.t.Context(), hold, true)
			if err != nil || planned.EvictionPods != test.want {
				t.Errorf("%s plan evicts %d pods (%v), want %d", name, planned.EvictionPods, err, test.want)
			}
		}
	})
}
