// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package quorum

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/record"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodemarks"
)

// cluster is a simulated API server with a drainer at work that asks a Guard.
type cluster struct {
	*drainertest.Server
	t    *testing.T
	stop func()
}

// inCluster runs a test in a bubble of its own time, in a cluster with members of these names.
func inCluster(t *testing.T, names []string, test func(c *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &cluster{t: t, Server: drainertest.NewServer(drainertest.Hooks{})}
		for _, name := range names {
			c.Add(newMember(name))
		}
		c.start()
		defer func() { c.stop() }()
		test(c)
	})
}

// start runs a drainer until stop is called.
func (c *cluster) start() {
	d, err := drainer.New(drainer.Config{
		Maintenance: c.Maintenance, Kube: c.Kube, Recorder: record.NewFakeRecorder(1000), StoreID: drainertest.StoreID,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	d.AskFirst(New(d, c.Kube, false))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		d.Run(ctx, ctx)
		close(ended)
	}()
	c.stop = func() {
		cancel()
		<-ended
		c.stop = func() {}
	}
	c.settle()
}

// settle gives the drainer the time to do what is to be done, and less than askAgain.
func (c *cluster) settle() {
	time.Sleep(2 * time.Second)
	synctest.Wait()
}

func (c *cluster) hold(node string) *v1beta1.NodeMaintenance {
	return drainertest.Get[*v1beta1.NodeMaintenance](c.Server, "", node)
}

// create creates a hold with the name of each node.
func (c *cluster) create(nodes ...string) {
	for _, node := range nodes {
		c.Add(drainertest.Hold{Name: node, Node: node}.Object())
	}
	c.settle()
}

func (c *cluster) change(node string, change func(*v1beta1.NodeMaintenance)) {
	drainertest.Change(c.Server, c.hold(node), func(h *v1beta1.NodeMaintenance) {
		change(h)
		h.Generation++
	})
	c.settle()
}

func (c *cluster) setReady(name string, status corev1.ConditionStatus) {
	drainertest.Change(c.Server, drainertest.Get[*corev1.Node](c.Server, "", name), func(n *corev1.Node) {
		n.Status.Conditions[slices.IndexFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })].Status = status
	})
	c.settle()
}

// wantTaken wants those nodes to be cordoned, and no others, and every other hold to wait with the numbers.
func (c *cluster) wantTaken(want ...string) {
	c.t.Helper()
	var got []string
	for _, name := range c.cordoned() {
		if got = append(got, name); c.hold(name) != nil && c.hold(name).Status.Phase == v1beta1.PhasePending {
			c.t.Errorf("%s is cordoned, and its hold is Pending", name)
		}
	}
	if !slices.Equal(got, want) {
		c.t.Errorf("%v are cordoned, want %v", got, want)
	}
}

func (c *cluster) cordoned() (names []string) {
	c.Locked(func() {
		for _, node := range drainertest.All[*corev1.Node](c.Store) {
			if node.Spec.Unschedulable && nodemarks.Marked(node) {
				names = append(names, node.Name)
			}
		}
	})
	return names
}

// wantWaiting wants the hold of a node to say that it waits, and for whom.
func (c *cluster) wantWaiting(node, want string) {
	c.t.Helper()
	status := c.hold(node).Status
	if status.Phase != v1beta1.PhasePending {
		c.t.Errorf("the hold of %s is %s", node, status.Phase)
	}
	for _, kind := range []string{v1beta1.ConditionCordoned, v1beta1.ConditionDrained} {
		condition := apimeta.FindStatusCondition(status.Conditions, kind)
		if condition == nil || condition.Reason != v1beta1.ReasonControlPlaneQuorum || !strings.Contains(condition.Message, want) {
			c.t.Errorf("%s of %s is %+v, want it to say %q", kind, node, condition, want)
		}
	}
}

var three = []string{"cp-1", "cp-2", "cp-3"}

func TestSecondMemberWaitsUntilTheFirstIsBack(t *testing.T) {
	inCluster(t, three, func(c *cluster) {
		c.create("cp-1")
		c.create("cp-2", "cp-3")
		c.wantTaken("cp-1")
		c.wantWaiting("cp-2", `2 of 3 members must stay in service, and without it 1 would (out: cp-1, held by "cp-1" of "cp-1")`)
		c.Delete(c.hold("cp-1"))
		c.settle()
		if got := c.cordoned(); len(got) != 1 || got[0] == "cp-1" {
			t.Errorf("%v are cordoned, want one of the other two", got)
		}
	})
}

// Nodes are taken at once by many workers.
func TestMembersHeldAtOnce(t *testing.T) {
	all := []string{"cp-1", "cp-2", "cp-3", "cp-4", "cp-5", "cp-6", "cp-7"}
	inCluster(t, all, func(c *cluster) {
		c.create(all...)
		if got := c.cordoned(); len(got) != 3 {
			t.Errorf("%v are cordoned, want three", got)
		}
	})
}

func TestMemberThatFailsAndComesBack(t *testing.T) {
	inCluster(t, three, func(c *cluster) {
		c.setReady("cp-3", corev1.ConditionUnknown)
		c.create("cp-1")
		c.wantTaken()
		c.wantWaiting("cp-1", "(out: cp-3, not ready)")
		c.setReady("cp-3", corev1.ConditionTrue)
		c.wantTaken("cp-1")
		// It keeps its place, and its drain goes on.
		c.setReady("cp-2", corev1.ConditionFalse)
		c.wantTaken("cp-1")
		if phase := c.hold("cp-1").Status.Phase; phase != v1beta1.PhaseSucceeded {
			t.Errorf("the hold of cp-1 is %s", phase)
		}
	})
}

func TestMemberThatJoins(t *testing.T) {
	inCluster(t, []string{"cp-1", "cp-2"}, func(c *cluster) {
		c.create("cp-1")
		c.wantWaiting("cp-1", "2 of 2 members must stay in service, and without it 1 would; waiting does not help")
		c.Add(newMember("cp-3"))
		c.settle()
		c.wantTaken("cp-1")
	})
}

func TestFailedMemberMayBeTaken(t *testing.T) {
	inCluster(t, three, func(c *cluster) {
		c.setReady("cp-2", corev1.ConditionFalse)
		c.create("cp-2")
		c.create("cp-1")
		c.wantTaken("cp-2")
		// It is in service again only when it is given back.
		c.setReady("cp-2", corev1.ConditionTrue)
		c.wantTaken("cp-2")
		c.wantWaiting("cp-1", `(out: cp-2, held by "cp-2" of "cp-2")`)
	})
}

func TestOverrideLetsAWaitingHoldGo(t *testing.T) {
	inCluster(t, []string{"cp-1"}, func(c *cluster) {
		c.create("cp-1")
		c.wantTaken()
		c.change("cp-1", func(h *v1beta1.NodeMaintenance) { h.Spec.OverrideQuorum = true })
		c.wantTaken("cp-1")
		// To take the field back does not give the node back.
		c.change("cp-1", func(h *v1beta1.NodeMaintenance) { h.Spec.OverrideQuorum = false })
		c.wantTaken("cp-1")
	})
}

func TestRestart(t *testing.T) {
	inCluster(t, three, func(c *cluster) {
		c.create("cp-2")
		c.create("cp-1")
		c.wantTaken("cp-2")
		c.stop()
		c.start()
		c.wantTaken("cp-2")
		c.wantWaiting("cp-1", `(out: cp-2, held by "cp-2" of "cp-2")`)
		c.Delete(c.hold("cp-2"))
		c.settle()
		c.wantTaken("cp-1")
	})
}

// A hold that only waits keeps nobody from going after a restart.
func TestRestartWhileAllWait(t *testing.T) {
	inCluster(t, three, func(c *cluster) {
		c.setReady("cp-3", corev1.ConditionFalse)
		c.create("cp-1", "cp-2")
		c.wantTaken()
		c.stop()
		c.setReady("cp-3", corev1.ConditionTrue)
		c.start()
		if got := c.cordoned(); len(got) != 1 {
			t.Errorf("%v are cordoned, want one", got)
		}
	})
}

func TestOtherNodesDoNotWait(t *testing.T) {
	inCluster(t, []string{"cp-1"}, func(c *cluster) {
		c.Add(drainertest.Node{Name: "worker-1"}.Object())
		c.create("worker-1")
		c.wantTaken("worker-1")
	})
}

// A hold that waits for its node to appear costs no request for the node.
func TestNodeThatDoesNotExistIsNotReadAgain(t *testing.T) {
	inCluster(t, three, func(c *cluster) {
		c.create("cp-9")
		c.settle()
		for _, action := range c.Kube.Actions() {
			if action.Matches("get", "nodes") {
				t.Error("the node was read past the cache")
			}
		}
		c.Add(newMember("cp-9"))
		c.settle()
		c.wantTaken("cp-9")
		c.Remove(drainertest.Get[*corev1.Node](c.Server, "", "cp-9"))
		c.settle()
		c.create("cp-1")
		c.wantTaken("cp-1")
	})
}

// A status that was not written in time tells of a cordon that was taken back. It gives no right to another.
func TestStatusThatLagsGivesNoPlace(t *testing.T) {
	inCluster(t, three, func(c *cluster) {
		c.create("cp-1")
		c.create("cp-2")
		for _, stage := range []v1beta1.MaintenanceStage{v1beta1.StageCordon, v1beta1.StageDrain, v1beta1.StageCordon, v1beta1.StageIdle} {
			c.changeSoon("cp-1", drainertest.SetStage(stage))
		}
		if !apimeta.IsStatusConditionTrue(c.hold("cp-1").Status.Conditions, v1beta1.ConditionCordoned) {
			t.Fatal("the status does not lag: the test shows nothing")
		}
		c.change("cp-1", drainertest.SetStage(v1beta1.StageDrain))
		c.wantTaken("cp-2")
		c.wantWaiting("cp-1", `(out: cp-2, held by "cp-2" of "cp-2")`)
	})
}

// changeSoon changes a hold sooner after the change before than its status may be written again.
func (c *cluster) changeSoon(node string, change func(*v1beta1.NodeMaintenance)) {
	drainertest.Change(c.Server, c.hold(node), change)
	time.Sleep(100 * time.Millisecond)
	synctest.Wait()
}
