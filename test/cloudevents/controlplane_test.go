// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/test/cloudevents/machineplayer"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// member is the label of a node of the control plane.
const member = "node-role.kubernetes.io/control-plane"

// newControlPlane makes the three machines of a control plane.
func (o *own) newControlPlane(t *testing.T, of family) *crew {
	t.Helper()
	p := poolOf(t, o.Env, 0)
	return p.crew(t, of, of.controlPlanes, of.controlPlane, 3, machineplayer.Labels(map[string]string{env.PoolLabel: p.Name, member: ""}))
}

// Machines of the control plane are replaced by their own controller, one at a time and after the workers, so that the
// quorum stays.
func (o *own) controlPlane(t *testing.T) {
	for name, of := range map[string]family{"OpenShift": openShift(), "Cluster API": clusterAPI()} {
		t.Run(name, func(t *testing.T) {
			c := o.newControlPlane(t, of)
			c.WantMostCordoned(t, 1)
			worker := poolOf(t, o.Env, 1)
			busy := worker.announce(t, "worker", rebootOf(worker.Nodes[0], 0))
			worker.is(t, busy, v1beta1.EventPhaseDrained)
			nodes := c.nodes(t)
			machines := []string{c.machineOf(t, nodes[0]), c.machineOf(t, nodes[1])}
			events := []string{c.announce(t, "first", retire(nodes[0])), c.announce(t, "second", retire(nodes[1]))}
			for i, event := range events {
				c.wait(t, event, "it waits for its turn", func(event *v1beta1.ScheduledEvent) bool {
					return event.Status.NodeName == nodes[i] && event.Status.DrainStartTime == nil && event.Status.WaitingFor != ""
				})
			}
			c.free(t, nodes[0])
			worker.reboot(t, worker.Nodes[0])
			ended := worker.is(t, busy, v1beta1.EventPhaseCompleted)
			for _, event := range events {
				done := c.replaced(t, event)
				if done.Status.Replacement.Strategy != v1beta1.DeleteFirst {
					t.Errorf("the replacement is %+v", done.Status.Replacement)
				}
				if done.Status.DrainStartTime.Before(ended.Status.EndTime) {
					t.Errorf("%s began at %s, before the worker's ended at %s", event, done.Status.DrainStartTime, ended.Status.EndTime)
				}
			}
			c.complete(t, 3)
			c.wantDeleted(t, machines...)
			c.noHolds(t)
		})
	}
}

// A node of the control plane whose machine no controller of control planes replaces is left alone, and a person told: one
// with a MachineSet, and one whose machine has no owner.
func (o *own) controlPlaneStays(t *testing.T) {
	p := poolOf(t, o.Env, 0)
	c := p.crew(t, openShift(), openShift().sets, "MachineSet", 3, machineplayer.Labels(map[string]string{env.PoolLabel: p.Name, member: ""}))
	node := c.nodes(t)[0]
	due := retire(node)
	due.NotBefore = inFuture(0)
	event := c.announce(t, "retire", due)
	c.blocked(t, event, decision.ReasonControlPlaneNotReplaced, node)
	env.Always(t, 3*time.Second, "node "+node+" is left alone", c.untouched(node))
	if got := c.is(t, event, v1beta1.EventPhasePending); got.Status.Maintenance != "" {
		t.Errorf("it has hold %s", got.Status.Maintenance)
	}
	c.wantDeleted(t)
}
