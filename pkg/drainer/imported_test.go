// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drainer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/holdstatus"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

const kubeVirtTaint = "kubevirt.io/drain"

// takenOut is a node as another operator leaves it.
func takenOut(taints ...string) *corev1.Node {
	return drainertest.Node{
		Unschedulable: true, Taints: append(taints, corev1.TaintNodeUnschedulable),
		Labels: map[string]string{v1beta1.ExcludeFromRemediationLabel: nodemarks.ExcludeLabelValue},
	}.Object()
}

// inService is what a node is like before another operator takes it out of service.
func inService(taints ...string) *v1beta1.NodeBefore {
	before := &v1beta1.NodeBefore{}
	for _, key := range append(taints, corev1.TaintNodeUnschedulable) {
		before.AddedTaints = append(before.AddedTaints, key+":NoSchedule")
	}
	return before
}

func minutesAgo(minutes int) *metav1.Time {
	return ptr.To(metav1.NewTime(time.Now().Add(-time.Duration(minutes) * time.Minute)).Rfc3339Copy())
}

// drainedByAnother is what is imported of a maintenance that was begun an hour ago and done 50 minutes ago.
func drainedByAnother(taints ...string) v1beta1.ImportedFrom {
	return v1beta1.ImportedFrom{
		APIVersion: "nodemaintenance.medik8s.io/v1beta1", Name: "m", UID: "u", CreationTime: *minutesAgo(60), Phase: "Succeeded",
		NodeUID: drainertest.UID(drainertest.NodeName), NodeBefore: inService(taints...),
		StartTime: minutesAgo(60), DrainedTime: minutesAgo(50), DrainProgress: 100, TotalPods: 5, EvictionPods: 2,
	}
}

// importedHold is a hold as the import creates it now.
func importedHold(from v1beta1.ImportedFrom) *v1beta1.NodeMaintenance {
	return drainertest.Hold{Name: "a", Created: time.Now(), Change: func(hold *v1beta1.NodeMaintenance) {
		value, err := json.Marshal(from)
		if err != nil {
			panic(err)
		}
		hold.Annotations = map[string]string{v1beta1.ImportedAnnotation: string(value)}
		hold.Status = v1beta1.NodeMaintenanceStatus{Phase: v1beta1.PhasePending, DrainProgress: ptr.To[int32](0)}
	}}.Object()
}

func (c *cluster) wantTimes(start, drained *metav1.Time) {
	c.t.Helper()
	status := c.hold("a").Status
	if !status.StartTime.Equal(start) || !status.DrainedTime.Equal(drained) {
		c.t.Errorf("the drain began at %v and was done at %v, want %v and %v", status.StartTime, status.DrainedTime, start, drained)
	}
}

// wantInService wants the node as it is without any maintenance.
func (c *cluster) wantInService() {
	c.t.Helper()
	c.wantNoHold("a")
	c.wantSameNode(drainertest.Node{}.Object())
}

func TestImportedDrainedNodeStaysDrained(t *testing.T) {
	node := takenOut(v1beta1.DrainTaint)
	inCluster(t, with(node), func(c *cluster) {
		want := drainedByAnother(v1beta1.DrainTaint)
		c.create(importedHold(want))
		c.wait(2 * drainPoll)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantTimes(want.StartTime, want.DrainedTime)
		c.wantCounts("a", counts{Total: 5, Evicted: 2, Progress: 100})
		if diff := cmp.Diff([]string{holdstatus.EventNodeCordoned}, slices.Compact(c.events())); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if got := c.node(drainertest.NodeName); !cmp.Equal(node.Spec, got.Spec) || !cmp.Equal(node.Labels, got.Labels) || !nodemarks.Annotated(got) {
			t.Errorf("the node is %+v, want it as it was, and annotated", got)
		}

		c.stop()
		c.start()
		c.wait(drainPoll)
		c.wantTimes(want.StartTime, want.DrainedTime)
		if told := c.events(); len(told) > 0 {
			t.Errorf("a restart tells of %v", told)
		}
		c.delete("a")
		c.wantInService()
	})
}

// A gate that cannot answer at first, such as one whose permissions are new, takes nothing back.
func TestImportedDrainedNodeStaysDrainedWithoutAnAnswer(t *testing.T) {
	var gate *fakeGate
	inCluster(t, func(t *testing.T) *cluster {
		c := newCluster(t, takenOut(v1beta1.DrainTaint))
		gate = &fakeGate{cluster: c, acquireErr: errors.New("not permitted yet")}
		c.config.Gates = []Gate{gate}
		return c
	}, func(c *cluster) {
		want := drainedByAnother(v1beta1.DrainTaint)
		c.create(importedHold(want))
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		gate.answer(Verdict{}, nil)
		c.wait(2 * time.Minute)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantTimes(want.StartTime, want.DrainedTime)
		c.wantCounts("a", counts{Total: 5, Evicted: 2, Progress: 100})
	})
}

func TestImportedDrainGoesOn(t *testing.T) {
	inCluster(t, with(takenOut(v1beta1.DrainTaint), drainertest.Pod{Name: "web-2"}.Object()), func(c *cluster) {
		half := drainedByAnother(v1beta1.DrainTaint)
		half.Phase, half.DrainedTime, half.DrainProgress, half.PendingPodCount = "Running", nil, 50, 1
		c.create(importedHold(half))
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseRunning)
		c.wantTimes(half.StartTime, nil)
		c.wantCounts("a", counts{Total: 5, Evicted: 2, Pending: 1, Progress: 50})
		c.wantEvictions(map[string]int{"web-2": 1})
		c.finish("web-2")
		c.wait(holdstatus.WriteInterval)
		c.wantPhase("a", v1beta1.PhaseSucceeded)
		c.wantCounts("a", counts{Total: 5, Evicted: 2, Progress: 100})
		told := c.events()
		c.wantEvent(told, holdstatus.EventMaintenanceStarted, 0)
		c.wantEvent(told, holdstatus.EventDrainRestarted, 0)
		c.wantEvent(told, holdstatus.EventDrainSucceeded, 2) // on the hold and on its node
		c.delete("a")
		c.wantInService()
	})
}

// Taints that this server does not set stay until the node is given back.
func TestImportedTaintsGoAtTheEnd(t *testing.T) {
	inCluster(t, with(takenOut(kubeVirtTaint)), func(c *cluster) {
		c.create(importedHold(drainedByAnother(kubeVirtTaint)))
		foreign := corev1.Taint{Key: kubeVirtTaint, Effect: corev1.TaintEffectNoSchedule}
		if node := c.node(drainertest.NodeName); !nodemarks.HasTaint(node.Spec.Taints, foreign) || !nodemarks.DrainTainted(node) {
			t.Errorf("the node has the taints %v, want %s and ours", node.Spec.Taints, kubeVirtTaint)
		}
		c.delete("a")
		c.wantInService()
	})
}

// A hold may be deleted before this server has looked at it.
func TestImportedNodeIsGivenBackUnseen(t *testing.T) {
	for _, taint := range []string{v1beta1.DrainTaint, kubeVirtTaint} {
		t.Run(taint, func(t *testing.T) {
			inCluster(t, with(takenOut(taint)), func(c *cluster) {
				c.stop()
				ended := importedHold(drainedByAnother(taint))
				ended.DeletionTimestamp = minutesAgo(0)
				c.Add(ended)
				c.start()
				c.wantInService()
			})
		})
	}
}

// What was imported is believed of the node that it tells of.
func TestImportedOfAnotherNode(t *testing.T) {
	tests := map[string]func(from *v1beta1.ImportedFrom){
		"an earlier node of that name": func(from *v1beta1.ImportedFrom) { from.NodeUID = "earlier" },
		"no node": func(from *v1beta1.ImportedFrom) {
			*from = v1beta1.ImportedFrom{APIVersion: from.APIVersion, Name: from.Name, UID: from.UID, CreationTime: from.CreationTime}
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			cordoned := drainertest.Node{Unschedulable: true}.Object()
			inCluster(t, with(cordoned, drainertest.Pod{Name: "web-1"}.Object()), func(c *cluster) {
				from := drainedByAnother(v1beta1.DrainTaint)
				change(&from)
				c.create(importedHold(from))
				c.wantEvictions(map[string]int{"web-1": 1})
				c.delete("a")
				c.wantNoHold("a")
				c.wantSameNode(cordoned)
			})
		})
	}
}

// Pods that came after the import's Drained begin another drain, as ever; pods that were there all along
// prove it wrong.
func TestImportedDrainedNodeHasPods(t *testing.T) {
	tests := map[string]struct {
		created   int // minutes ago
		restarted int
	}{
		"came since":         {created: 10, restarted: 2},
		"were there already": {created: 90},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inCluster(t, with(takenOut(v1beta1.DrainTaint)), func(c *cluster) {
				c.Add(drainertest.Pod{Name: "web-1", Change: func(pod *corev1.Pod) {
					pod.CreationTimestamp = *minutesAgo(test.created)
				}}.Object())
				c.create(importedHold(drainedByAnother(v1beta1.DrainTaint)))
				c.wait(holdstatus.WriteInterval)
				c.wantEvictions(map[string]int{"web-1": 1})
				c.wantPhase("a", v1beta1.PhaseRunning)
				c.wantEvent(c.events(), holdstatus.EventDrainRestarted, test.restarted)
			})
		})
	}
}

// The server may be killed after each of its writes.
func TestImportSurvivesCrashes(t *testing.T) {
	for n := range 7 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t, takenOut(kubeVirtTaint))
				failing, heal := c.failWritesAfter(n)
				restart := func() {
					if failing() {
						c.stop()
						heal()
						c.start()
					}
				}
				c.start()
				defer func() { c.stop() }()
				from := drainedByAnother(kubeVirtTaint)
				c.create(importedHold(from))
				c.wait(holdstatus.WriteInterval)
				restart()
				c.wait(holdstatus.WriteInterval)
				c.wantPhase("a", v1beta1.PhaseSucceeded)
				c.wantTimes(from.StartTime, from.DrainedTime)
				c.delete("a")
				restart()
				c.wantInService()
			})
		})
	}
}

// Another hold takes over what was imported, also if no cache shows the imported hold yet.
func TestOtherHoldsTakeOverWhatWasImported(t *testing.T) {
	c := newCluster(t, takenOut(v1beta1.DrainTaint), importedHold(drainedByAnother(v1beta1.DrainTaint)),
		drainertest.Hold{Name: "b", Stage: v1beta1.StageCordon}.Object())
	l := stuckCaches(t, c, c.node(drainertest.NodeName), c.hold("b"))
	if err := l.reconcile(t.Context(), drainertest.NodeName).err; err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(inService(v1beta1.DrainTaint), c.hold("b").Status.NodeBefore); diff != "" {
		t.Errorf("nodeBefore of the other hold (-want +got):\n%s", diff)
	}
}

// Whoever says of a hold that it was imported passes no policy with that, on a node that this server has in maintenance
// for another hold.
func TestImportedHoldWaitsBesideOthers(t *testing.T) {
	policed(t, func(c *cluster) {
		c.create(drainertest.Hold{Name: "first", Stage: v1beta1.StageCordon}.Object())
		c.wait(holdstatus.WriteInterval)
		c.wantCordoned(drainertest.NodeName, true)
		c.admits("a", queued(v1beta1.StageIdle, "0 of 1 approval"))
		half := drainedByAnother(v1beta1.DrainTaint)
		half.Phase, half.DrainedTime = "Running", nil
		c.create(importedHold(half))
		c.wait(time.Minute)
		c.wantEvictions(map[string]int{"web-1": 0, "web-2": 0})
		c.wantPhase("a", v1beta1.PhasePending)
	})
}
