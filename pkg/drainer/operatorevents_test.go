// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

const (
	toldBegin   = "Normal BeginMaintenance Begin a node maintenance: node worker-1 (kernel)"
	toldSucceed = "Normal SucceedMaintenance Node maintenance was succeeded: node worker-1 (kernel)"
	toldUncord  = "Normal UncordonNode Uncordon a node: node worker-1, for which no maintenance is left after a (a)"
	toldRemove  = "Normal RemovedMaintenance Removed a node maintenance: node worker-1 (kernel)"
)

// operatorsTell drains the events so far, and returns those in the operators' words.
func (c *cluster) operatorsTell() []string {
	var told []string
	for {
		select {
		case event := <-c.recorder.Events:
			if reason := strings.Fields(event)[1]; slices.Contains([]string{holdstatus.OperatorBegin, holdstatus.OperatorSucceed, holdstatus.OperatorFail, holdstatus.OperatorUncord, holdstatus.OperatorRemove}, reason) {
				told = append(told, event)
			}
		default:
			return told
		}
	}
}

// forOperators is with, in a cluster where scripts wait for the operators' events.
func forOperators(objects ...drainertest.Object) func(t *testing.T) *cluster {
	return func(t *testing.T) *cluster {
		c := newCluster(t, objects...)
		c.config.OperatorEvents = true
		return c
	}
}

func TestOperatorEventsOncePerMaintenance(t *testing.T) {
	comes := func(c *cluster) {
		c.Add(drainertest.Pod{Name: "late"}.Object())
		c.wait(holdstatus.WriteInterval)
		c.finish("late")
		c.wait(2 * holdstatus.WriteInterval)
	}
	tests := map[string]struct {
		// meanwhile happens while the node is drained.
		meanwhile func(c *cluster)
	}{
		"nothing happens": {meanwhile: func(*cluster) {}},
		"restarts":        {meanwhile: func(c *cluster) { c.restart(nil); c.wait(drainPoll); c.restart(nil) }},
		"another annotation": {meanwhile: func(c *cluster) {
			c.change("a", func(hold *v1beta1.NodeMaintenance) { hold.Annotations = map[string]string{"a": "b"} })
			c.wait(drainPoll)
		}},
		"another drain": {meanwhile: func(c *cluster) {
			c.change("a", func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.UnmanagedPods = v1beta1.PolicyBlock })
			c.wait(drainPoll)
		}},
		"drift":                 {meanwhile: func(c *cluster) { c.changeNode(drainertest.NodeName, drainertest.Uncordon); c.wait(drainPoll) }},
		"a late pod":            {meanwhile: comes},
		"a restart, a late pod": {meanwhile: func(c *cluster) { c.restart(nil); comes(c) }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, forOperators(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object()), func(c *cluster) {
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.finish("web-1")
				c.wait(2 * holdstatus.WriteInterval)
				test.meanwhile(c)
				c.wantPhase("a", v1beta1.PhaseSucceeded)
				c.delete("a")
				c.wantNoHold("a")
				want := []string{toldBegin, toldSucceed, toldUncord, toldRemove}
				if diff := cmp.Diff(want, c.operatorsTell()); diff != "" {
					t.Errorf("events in the operators' words (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestOperatorEventsOfAFailure(t *testing.T) {
	inCluster(t, forOperators(drainertest.Node{}.Object(), drainertest.Pod{Name: "web-1"}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a", TimeoutSeconds: 60}.Object())
		c.wait(2 * time.Minute)
		c.restart(nil)
		c.finish("web-1")
		c.wait(holdstatus.WriteInterval)
		want := []string{
			toldBegin,
			"Warning FailedMaintenance Failed a node maintenance: node worker-1 (kernel): 1 pod is left past the deadline; evictions go on",
			toldSucceed,
		}
		if diff := cmp.Diff(want, c.operatorsTell()); diff != "" {
			t.Errorf("events in the operators' words (-want +got):\n%s", diff)
		}
	})
}

func TestOperatorEventsOfAMissingNode(t *testing.T) {
	inCluster(t, forOperators(), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(2 * holdstatus.WriteInterval)
		c.restart(nil)
		c.Add(drainertest.Node{}.Object())
		c.wait(2 * holdstatus.WriteInterval)
		want := []string{
			"Warning FailedMaintenance Failed a node maintenance: node worker-1 (kernel): node worker-1 does not exist: " +
				"the maintenance starts when it appears; if the name is wrong, delete this NodeMaintenance",
			toldBegin, toldSucceed,
		}
		if diff := cmp.Diff(want, c.operatorsTell()); diff != "" {
			t.Errorf("events in the operators' words (-want +got):\n%s", diff)
		}
	})
}

// What is not true is not told: a node that stays cordoned is not uncordoned, and a node that others hold
// is not either.
func TestOperatorEventsSayWhatIsTrue(t *testing.T) {
	tests := map[string]struct {
		node drainertest.Node
		hold []drainertest.Object
		want []string
	}{
		"cordoned before": {node: drainertest.Node{Unschedulable: true}, want: []string{toldBegin, toldSucceed, toldRemove}},
		"held by another": {hold: []drainertest.Object{drainertest.Hold{Name: "b"}.Object()}, want: []string{toldBegin, toldSucceed, toldRemove}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, forOperators(append(test.hold, test.node.Object())...), func(c *cluster) {
				c.wait(holdstatus.WriteInterval)
				c.operatorsTell()
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.wait(holdstatus.WriteInterval)
				c.delete("a")
				if diff := cmp.Diff(test.want, c.operatorsTell()); diff != "" {
					t.Errorf("events in the operators' words (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// An imported maintenance has begun, and maybe succeeded, in the operator's own events.
func TestOperatorEventsOfAnImport(t *testing.T) {
	inCluster(t, forOperators(takenOut(v1beta1.DrainTaint)), func(c *cluster) {
		c.create(importedHold(drainedByAnother(v1beta1.DrainTaint)))
		c.wait(2 * drainPoll)
		c.delete("a")
		want := []string{toldUncord, toldRemove}
		if diff := cmp.Diff(want, c.operatorsTell()); diff != "" {
			t.Errorf("events in the operators' words (-want +got):\n%s", diff)
		}
	})
}

func TestNoOperatorEventsUnlessWanted(t *testing.T) {
	inCluster(t, with(drainertest.Node{}.Object()), func(c *cluster) {
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(holdstatus.WriteInterval)
		c.delete("a")
		if diff := cmp.Diff([]string(nil), c.operatorsTell(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("events in the operators' words (-want +got):\n%s", diff)
		}
	})
}

// A cordon alone is no success for the operators. The drain that follows is.
func TestOperatorEventsOfACordon(t *testing.T) {
	tests := map[string]struct {
		pods []drainertest.Object
	}{
		"pods":    {pods: []drainertest.Object{drainertest.Pod{Name: "web-1"}.Object()}},
		"no pods": {},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, forOperators(append(test.pods, drainertest.Node{}.Object())...), func(c *cluster) {
				c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon}.Object())
				c.wait(drainPoll)
				if diff := cmp.Diff([]string{toldBegin}, c.operatorsTell()); diff != "" {
					t.Errorf("events of the cordon (-want +got):\n%s", diff)
				}
				c.change("a", func(hold *v1beta1.NodeMaintenance) { hold.Spec.Stage = v1beta1.StageDrain })
				c.wait(drainPoll)
				if len(test.pods) > 0 {
					c.finish("web-1")
				}
				c.wait(2 * holdstatus.WriteInterval)
				c.restart(nil)
				c.change("a", func(hold *v1beta1.NodeMaintenance) { hold.Spec.Drain.UnmanagedPods = v1beta1.PolicyBlock })
				c.wait(drainPoll)
				c.wantPhase("a", v1beta1.PhaseSucceeded)
				if diff := cmp.Diff([]string{toldSucceed}, c.operatorsTell()); diff != "" {
					t.Errorf("events of the drain (-want +got):\n%s", diff)
				}
			})
		})
	}
}
