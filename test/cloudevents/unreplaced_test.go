// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"context"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/test/cloudevents/machineplayer"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// A cluster without a machine API, or one whose server is not to use it, has its node drained in time, and a person told.
// Once that person has deleted the node, the event is over.
func TestRetirementWithoutAMachineAPI(t *testing.T) {
	p := newPool(t, 1)
	spec := retire(p.Nodes[0])
	spec.NotBefore = inFuture(0)
	event := p.announce(t, "retire", spec)
	p.blocked(t, event, decision.ReasonNoOwner, p.Nodes[0])
	p.is(t, event, v1beta1.EventPhaseDrained)
	p.WaitForEvent(t, "ScheduledEvent", event, decision.ReasonNoOwner)
	if err := p.Kube.CoreV1().Nodes().Delete(t.Context(), p.Nodes[0], metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	p.is(t, event, v1beta1.EventPhaseCompleted)
	p.noHolds(t)
}

// A machine that nothing replaces is not deleted. Its node is drained in time, and a person told at once.
func (o *own) machineWithoutOwner(t *testing.T) {
	t.Parallel()
	p := poolOf(t, o.Env, 2)
	now, later := p.Nodes[0], p.Nodes[1]
	for i, node := range p.Nodes {
		name := fmt.Sprintf("lonely-%d", i)
		p.addMachine(t, openShift(), name, node, p.Name+"-"+name, nil)
	}
	due := retire(now)
	due.NotBefore = inFuture(0)
	event, waiting := p.announce(t, "now", due), p.announce(t, "later", retire(later))
	p.blocked(t, event, decision.ReasonNoOwner, "lonely-0", "no owner")
	p.blocked(t, waiting, decision.ReasonNoOwner, "lonely-1")
	p.is(t, event, v1beta1.EventPhaseDrained)
	p.free(t, later)
	p.stays(t, now, env.Timeout/20)
	p.machineIsThere(t, "lonely-0")
	p.state(t, event, v1beta1.EventCompleted)
	p.is(t, event, v1beta1.EventPhaseCompleted)
	p.WaitUntilCleanNode(t, now)
	p.machineIsThere(t, "lonely-0")
}

func (p *pool) machineIsThere(t *testing.T, name string) {
	t.Helper()
	machine, err := p.objects(openShift().machines).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil || machine.GetDeletionTimestamp() != nil {
		t.Errorf("machine %s: %v, %v; want it to stay", name, machine, err)
	}
}

// What a node says of its machine is what its kubelet may have written. It leads to no machine of another node.
func (o *own) forgedAnnotation(t *testing.T) {
	t.Parallel()
	c := o.newCrew(t, openShift(), openShift().sets, "MachineSet", 1)
	victim := c.nodes(t)[0]
	forger := poolOf(t, o.Env, 1)
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"machine.openshift.io/machine":"%s/%s"}},"spec":{"providerID":"%s"}}`,
		c.Name, c.machineOf(t, victim), c.Node(t, victim).Spec.ProviderID)
	if _, err := c.Kube.CoreV1().Nodes().Patch(t.Context(), forger.Nodes[0], types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	spec := retire(forger.Nodes[0])
	spec.NotBefore = inFuture(0)
	event := forger.announce(t, "retire", spec)
	forger.blocked(t, event, decision.ReasonNoOwner)
	forger.is(t, event, v1beta1.EventPhaseDrained)
	c.free(t, victim)
	c.wantDeleted(t)
	c.wantReplicas(t, 1)
}

// An event that is canceled while a machine is added takes that one back, and leaves the old one.
func (o *own) canceledInItsSurge(t *testing.T) {
	t.Parallel()
	c := o.newCrew(t, clusterAPI(), clusterAPI().deployments, "MachineDeployment", 2, machineplayer.Delay(2*time.Second))
	before := c.nodes(t)
	c.player.Hold()
	event := c.announce(t, "stop", retire(before[0]))
	c.step(t, event, v1beta1.StepAwaitNewNode)
	c.state(t, event, v1beta1.EventCanceled)
	c.player.Release()
	c.waitWithin(t, replaceTimeout, event, "it is canceled", func(event *v1beta1.ScheduledEvent) bool {
		return event.Status.Phase == v1beta1.EventPhaseCanceled
	})
	c.complete(t, 2)
	c.wantReplicas(t, 2)
	c.wantNodes(t, before)
	for _, node := range before {
		c.WaitUntilCleanNode(t, node)
	}
	c.noHolds(t)
}

// step waits until the replacement of an event is at a step.
func (p *pool) step(t *testing.T, event string, want v1beta1.ReplacementStep) *v1beta1.ScheduledEvent {
	t.Helper()
	return p.waitWithin(t, replaceTimeout, event, "its replacement is at "+string(want), func(event *v1beta1.ScheduledEvent) bool {
		return event.Status.Replacement != nil && event.Status.Replacement.Step == want
	})
}

func (c *crew) wantNodes(t *testing.T, want []string) {
	t.Helper()
	if got := c.nodes(t); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the nodes are %v, want %v", got, want)
	}
}

// A new machine that does not come in time is taken away again, and a person told. The old one stays in service.
func (o *own) newMachineDoesNotCome(t *testing.T) {
	t.Parallel()
	c := o.newCrew(t, openShift(), openShift().sets, "MachineSet", 2, machineplayer.Delay(2*time.Second))
	c.Policy(t, "patience", v1beta1.MaintenancePolicySpec{Events: &v1beta1.PolicyEvents{
		Replacement: &v1beta1.PolicyReplacement{TimeoutSeconds: ptr.To[int64](60)},
	}})
	before := c.nodes(t)
	c.player.FailNext()
	event := c.announce(t, "retire", retire(before[0]))
	c.step(t, event, v1beta1.StepGivenUp)
	c.blocked(t, event, decision.ReasonReplacementFailed, "did not become Ready")
	c.complete(t, 2)
	c.wantReplicas(t, 2)
	c.wantNodes(t, before)
	c.WaitUntilCleanNode(t, before[0])
}

// The machine of a node is not deleted while pods stay on it that somebody has labeled to be left alone.
func (o *own) personKeepsPods(t *testing.T) {
	t.Parallel()
	c := o.newCrew(t, openShift(), openShift().sets, "MachineSet", 1)
	node := c.nodes(t)[0]
	c.Run(t, c.Cluster.Workload(c.Name).
		Pod("kept", localcluster.OnNode(node), localcluster.Label(v1beta1.DrainLabel, v1beta1.DrainLabelSkip)))
	event := c.announce(t, "retire", retire(node))
	event = c.waitWithin(t, replaceTimeout, event, "it is blocked by the pod", func(event *v1beta1.ScheduledEvent) bool {
		return isBlocked(event, decision.ReasonPodsStay)
	}).Name
	c.wantDeleted(t)
	if err := c.Kube.CoreV1().Pods(c.Name).Delete(t.Context(), "kept", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	c.replaced(t, event)
	env.Eventually(t, "the node is gone", func(ctx context.Context) string {
		if _, err := c.Kube.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{}); err == nil {
			return "it is there"
		}
		return ""
	})
}
