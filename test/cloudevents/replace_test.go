// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/test/cloudevents/machineplayer"
)

// replaceTimeout is how long a replacement may take. The server looks at machines every 10 seconds.
const replaceTimeout = 3 * time.Minute

// A machine is added, its node becomes Ready, the old node is drained by our server alone, and the old machine goes: it and
// no other. The owner never has more than one machine too many.
func (o *own) surgeFirst(t *testing.T) {
	for name, test := range map[string]struct {
		of       family
		resource schema.GroupVersionResource
		kind     string
	}{
		"OpenShift":                      {of: openShift(), resource: openShift().sets, kind: "MachineSet"},
		"Cluster API":                    {of: clusterAPI(), resource: clusterAPI().sets, kind: "MachineSet"},
		"Cluster API, MachineDeployment": {of: clusterAPI(), resource: clusterAPI().deployments, kind: "MachineDeployment"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := o.newCrew(t, test.of, test.resource, test.kind, 3, machineplayer.Delay(2*time.Second))
			c.Run(t, c.Cluster.Workload(c.Name).Deployment("web", 9, c.Selector()).Budget("web", localcluster.MaxUnavailable("3")))
			most := c.mostReplicas(t)
			node := c.nodes(t)[1]
			machine, pods := c.machineOf(t, node), c.podUIDs(t, node)
			event := c.announce(t, "retire", retire(node))
			done := c.replaced(t, event)
			r := done.Status.Replacement
			if r.Strategy != v1beta1.SurgeFirst || r.Machine.Name != machine || r.Owner.Kind != test.kind || r.NewMachine == "" {
				t.Errorf("the replacement is %+v", r)
			}
			if fresh := c.Node(t, r.NewNode); !fresh.CreationTimestamp.Time.Before(done.Status.DrainedTime.Time) {
				t.Errorf("node %s came at %s, after the old one was empty at %s", r.NewNode, fresh.CreationTimestamp, done.Status.DrainedTime)
			}
			c.complete(t, 3)
			c.wantDeleted(t, machine)
			c.wantReplicas(t, 3)
			if got := most(); got != 4 {
				t.Errorf("the owner had %d replicas at most, want 4", got)
			}
			c.WantEvictedOnce(t, pods)
			c.noHolds(t)
			for _, reason := range []string{
				decision.ReasonSurgeAdded, decision.ReasonNewNodeReady, decision.ReasonMachineDeleted, decision.ReasonMachineReplaced,
			} {
				c.WaitForEvent(t, "ScheduledEvent", event, reason)
			}
		})
	}
}

// replaced waits until the machine of an event was replaced.
func (p *pool) replaced(t *testing.T, event string) *v1beta1.ScheduledEvent {
	t.Helper()
	done := p.waitWithin(t, replaceTimeout, event, "its machine is replaced", func(event *v1beta1.ScheduledEvent) bool {
		return event.Status.Phase == v1beta1.EventPhaseCompleted
	})
	if r := done.Status.Replacement; r == nil || r.Step != v1beta1.StepReplaced {
		t.Fatalf("%s ended without a replacement: %+v", event, done.Status)
	}
	return done
}

// A policy may have the old machine go first.
func (o *own) deleteFirst(t *testing.T) {
	t.Parallel()
	c := o.newCrew(t, openShift(), openShift().sets, "MachineSet", 2)
	c.Policy(t, "order", v1beta1.MaintenancePolicySpec{Events: &v1beta1.PolicyEvents{
		Replacement: &v1beta1.PolicyReplacement{Strategy: v1beta1.DeleteFirst},
	}})
	most := c.mostReplicas(t)
	node := c.nodes(t)[0]
	machine := c.machineOf(t, node)
	done := c.replaced(t, c.announce(t, "retire", retire(node)))
	if got := done.Status.Replacement.Strategy; got != v1beta1.DeleteFirst {
		t.Errorf("the strategy is %s", got)
	}
	c.complete(t, 2)
	c.wantDeleted(t, machine)
	if got := most(); got != 2 {
		t.Errorf("the owner had %d replicas at most, want 2", got)
	}
}

// A machine that comes back is not replaced.
func (o *own) rebootReplacesNothing(t *testing.T) {
	t.Parallel()
	c := o.newCrew(t, openShift(), openShift().sets, "MachineSet", 2)
	node := c.nodes(t)[0]
	c.Boot(t, node, "first")
	for _, code := range []string{v1beta1.CodeInstanceReboot, v1beta1.CodeSystemReboot, v1beta1.CodeSystemMaintenance} {
		event := c.announce(t, code, v1beta1.ScheduledEventSpec{Code: code, NodeName: node})
		c.is(t, event, v1beta1.EventPhaseDrained)
		c.Down(t, node)
		c.Boot(t, node, "after-"+code)
		c.Up(t, node)
		if done := c.is(t, event, v1beta1.EventPhaseCompleted); done.Status.Replacement != nil {
			t.Errorf("%s: the machine is replaced: %+v", code, done.Status.Replacement)
		}
	}
	c.wantDeleted(t)
	c.wantReplicas(t, 2)
	c.WaitUntilCleanNode(t, node)
}

// AWS tells of an event for a week after it is over. The machine that is there now is another one: it is left alone, whether
// the event is new, or was known before.
func (o *own) completedEventDeletesNothing(t *testing.T) {
	t.Parallel()
	c := o.newCrew(t, openShift(), openShift().sets, "MachineSet", 1)
	c.Policy(t, "frozen", frozen(nil))
	node := c.nodes(t)[0]
	over := retire(node)
	over.State = v1beta1.EventCompleted
	known := c.announce(t, "known", retire(node))
	c.wait(t, known, "it waits", func(event *v1beta1.ScheduledEvent) bool { return event.Status.Maintenance != "" })
	c.state(t, known, v1beta1.EventCompleted)
	for _, event := range []string{c.announce(t, "new", over), known} {
		if done := c.is(t, event, v1beta1.EventPhaseCompleted); done.Status.Replacement != nil || done.Status.DrainStartTime != nil {
			t.Errorf("%s: the status is %+v", event, done.Status)
		}
	}
	c.free(t, node)
	c.wantDeleted(t)
	c.wantReplicas(t, 1)
}

// Of two events of one machine, one replaces it, and both end.
func (o *own) twoEventsOfOneMachine(t *testing.T) {
	t.Parallel()
	c := o.newCrew(t, clusterAPI(), clusterAPI().sets, "MachineSet", 2)
	most := c.mostReplicas(t)
	node := c.nodes(t)[0]
	machine := c.machineOf(t, node)
	first, second := c.announce(t, "first", retire(node)), c.announce(t, "second", retire(node))
	replaced := 0
	for _, event := range []string{first, second} {
		done := c.waitWithin(t, replaceTimeout, event, "it ends", func(event *v1beta1.ScheduledEvent) bool { return event.Status.EndTime != nil })
		if done.Status.Replacement != nil {
			replaced++
		}
	}
	c.complete(t, 2)
	c.wantDeleted(t, machine)
	c.wantReplicas(t, 2)
	if got := most(); got != 3 || replaced != 1 {
		t.Errorf("the owner had %d replicas at most, and %d events have replaced the machine; want 3 and 1", got, replaced)
	}
	if slices.Contains(c.nodes(t), node) {
		t.Errorf("node %s is there still", node)
	}
}
