// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	clienttesting "k8s.io/client-go/testing"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
)

// taintOf is the taint of a node whose maintenance a server with that store plans.
func taintOf(storeID string) corev1.Taint {
	return corev1.Taint{Key: v1beta1.PlannedTaint, Value: storeID, Effect: corev1.TaintEffectPreferNoSchedule}
}

// wantMarkedPlanned wants both marks of a planned maintenance on the node, or none.
func (c *cluster) wantMarkedPlanned(want bool) {
	c.t.Helper()
	node := c.node(drainertest.NodeName)
	if got := slices.Contains(node.Spec.Taints, taintOf(drainertest.StoreID)); got != want {
		c.t.Errorf("tainted as planned: %t, want %t: %v", got, want, node.Spec.Taints)
	}
	if got := nodeSays(node, corev1.NodeMaintenancePlanned); (got == corev1.ConditionTrue) != want {
		c.t.Errorf("condition MaintenancePlanned is %q, want it there: %t", got, want)
	}
}

func nodeSays(node *corev1.Node, kind corev1.NodeConditionType) corev1.ConditionStatus {
	for _, condition := range node.Status.Conditions {
		if condition.Type == kind {
			return condition.Status
		}
	}
	return ""
}

// plans has Admission say whether the maintenance of the node is planned.
func (c *cluster) plans(planned bool) {
	c.policy(func(f *fakeAdmission) { f.planned[drainertest.NodeName] = planned })
}

// nodePatches are how often the node and its status were patched so far.
func (c *cluster) nodePatches() (count int) {
	for _, action := range c.Kube.Actions() {
		if patch, isPatch := action.(clienttesting.PatchAction); isPatch && patch.GetResource().Resource == "nodes" {
			count++
		}
	}
	return count
}

// The marks cost a patch of the node and one of its status. What the cordon patches anyway takes them off.
func TestPlannedNodeIsMarked(t *testing.T) {
	policed(t, func(c *cluster) {
		before := c.node(drainertest.NodeName)
		c.plans(true)
		c.wantMarkedPlanned(false) // nobody waits
		c.admits("a", queued(v1beta1.StageIdle, "full"))
		c.create(drainertest.Hold{Name: "a", Stage: v1beta1.StageCordon, Created: time.Now()}.Object()) // a drain patches more
		c.wantMarkedPlanned(true)
		c.wait(time.Hour)
		if got := c.nodePatches(); got != 2 {
			t.Errorf("the node was patched %d times to mark it, want twice", got)
		}
		c.plans(false)
		c.wantMarkedPlanned(false)
		c.wantSameNode(before)
		c.wait(holdstatus.SlowInterval)
		c.plans(true)
		c.wantMarkedPlanned(true)

		marked := c.nodePatches()
		c.admits("a", admitted(time.Now()))
		c.wait(2 * holdstatus.WriteInterval)
		c.wantCordoned(drainertest.NodeName, true)
		c.wantMarkedPlanned(false)
		if got := c.nodePatches() - marked; got != 2 {
			t.Errorf("the node was patched %d times for its cordon and its conditions, want twice", got)
		}
		c.delete("a")
		c.wantNoHold("a")
		c.wantSameNode(before)
	})
}

// The marks go with the hold that waits, whatever Admission says.
func TestPlannedMarksGoWithTheHold(t *testing.T) {
	ends := map[string]func(c *cluster){
		"it is deleted":    func(c *cluster) { c.delete("a") },
		"it wants no more": func(c *cluster) { c.change("a", drainertest.SetStage(v1beta1.StageIdle)) },
		"it was removed while the server was down": func(c *cluster) {
			c.stop()
			c.Remove(c.hold("a"))
			c.start()
		},
		"the last policy went while the server was down": func(c *cluster) {
			c.stop()
			c.change("a", drainertest.SetStage(v1beta1.StageIdle))
			c.config.Admission = nil
			c.start()
		},
		"the server was restored to a time before": func(c *cluster) {
			c.stop()
			c.Remove(c.hold("a"))
			c.config.Admission = nil
			c.start()
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			policed(t, func(c *cluster) {
				before := c.node(drainertest.NodeName)
				c.plans(true)
				c.admits("a", queued(v1beta1.StageIdle, "full"))
				c.create(drainertest.Hold{Name: "a"}.Object())
				c.wantMarkedPlanned(true)
				end(c)
				c.wantMarkedPlanned(false)
				c.wantSameNode(before)
			})
		})
	}
}

// Only what bears the id of our store is ours, and it is no part of what a node was like before.
func TestPlannedTaintOfAnother(t *testing.T) {
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, drainertest.Node{Change: func(node *corev1.Node) {
			node.Spec.Taints = []corev1.Taint{taintOf("another")}
		}}.Object())
		c.admission = &fakeAdmission{answers: map[string]holdstatus.Admitted{}, planned: map[string]bool{}}
		c.config.Admission = c.admission
		return c
	}, func(c *cluster) {
		before := c.node(drainertest.NodeName)
		c.plans(true)
		c.admits("a", queued(v1beta1.StageIdle, "full"))
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wait(time.Hour)
		c.wantMarkedPlanned(false)
		c.wantSameNode(before)
		c.admits("a", admitted(time.Now()))
		c.wantCordoned(drainertest.NodeName, true)
		c.delete("a")
		c.wantSameNode(before)
	})
}

func TestPlannedTaintIsNotRecorded(t *testing.T) {
	policed(t, func(c *cluster) {
		c.plans(true)
		c.admits("a", queued(v1beta1.StageIdle, "full"))
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.admits("a", admitted(time.Now()))
		before := c.hold("a").Status.NodeBefore
		if before == nil || len(before.Taints) > 0 {
			t.Errorf("recorded %+v, want no taint that was there before", before)
		}
	})
}

// Whoever takes the mark off may do so again at once.
func TestPlannedTaintIsSetOnceAMinute(t *testing.T) {
	policed(t, func(c *cluster) {
		c.plans(true)
		c.admits("a", queued(v1beta1.StageIdle, "full"))
		c.create(drainertest.Hold{Name: "a"}.Object())
		for range 60 {
			c.wait(time.Second)
			c.changeNode(drainertest.NodeName, func(node *corev1.Node) { node.Spec.Taints = nil })
		}
		if got := c.nodePatches(); got > 9 {
			t.Errorf("the node was patched %d times in two minutes, want 9 at most: it is set three times", got)
		}
		c.wait(holdstatus.SlowInterval)
		c.wantMarkedPlanned(true)
	})
}

// A conflict is no error: the marks are set as the node is then.
func TestPlannedMarksAfterAConflict(t *testing.T) {
	policed(t, func(c *cluster) {
		c.plans(true)
		c.admits("a", queued(v1beta1.StageIdle, "full"))
		c.Inject(drainertest.Failing("patch", "nodes", drainertest.NotYou("nodes")))
		c.create(drainertest.Hold{Name: "a"}.Object())
		c.wantMarkedPlanned(false)
		c.Heal()
		c.wait(time.Minute)
		c.wantMarkedPlanned(true)
		c.Inject(drainertest.Failing("patch", "nodes", drainertest.NotYou("nodes")))
		c.delete("a")
		c.wantNoHold("a") // the marks only inform others
		c.Heal()
		c.wait(time.Minute)
		c.wantMarkedPlanned(false)
	})
}
