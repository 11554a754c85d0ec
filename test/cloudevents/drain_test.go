// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// An event that is due drains its node at once, waits until the machine has gone and come back, and gives the node back.
func TestRebootDrainsAndGivesBack(t *testing.T) {
	p := newPool(t, 2)
	p.Run(t, p.Cluster.Workload(p.Name).Deployment("web", 6, p.Selector()))
	node := p.Nodes[0]
	pods := p.podUIDs(t, node)
	event := p.announce(t, "reboot", rebootOf(node, time.Minute))
	drained := p.is(t, event, v1beta1.EventPhaseDrained)
	if s := drained.Status; s.Action != v1beta1.EventActionDrain || s.DrainStartTime == nil || s.DrainedTime == nil || s.BootID != node+"-first" {
		t.Errorf("the status is %+v", s)
	}
	if left := p.podUIDs(t, node); len(left) > 0 {
		t.Errorf("%d pods are left on node %s", len(left), node)
	}
	p.stays(t, node, 2*time.Second)
	p.reboot(t, node)
	done := p.is(t, event, v1beta1.EventPhaseCompleted)
	if done.Status.EndTime == nil || done.Status.Outcome == "" {
		t.Errorf("the status is %+v", done.Status)
	}
	p.WaitUntilCleanNode(t, node)
	p.free(t, p.Nodes[1])
	p.WantEvictedOnce(t, pods)
	for _, reason := range []string{
		decision.ReasonLateStart, decision.ReasonDrainStarted, decision.ReasonDrained, decision.ReasonMachineReturned, decision.ReasonEventCompleted,
	} {
		p.WaitForEvent(t, "ScheduledEvent", event, reason)
	}
}

// A node whose machine has started anew, but is not Ready, is not given back. Nor is one whose event is said to be over.
func TestNodeIsReadyBeforeItIsGivenBack(t *testing.T) {
	p := newPool(t, 2)
	rebooted, over := p.Nodes[0], p.Nodes[1]
	events := []string{p.announce(t, "rebooted", rebootOf(rebooted, 0)), p.announce(t, "over", rebootOf(over, 0))}
	for _, event := range events {
		p.is(t, event, v1beta1.EventPhaseDrained)
	}
	for _, node := range p.Nodes {
		p.Down(t, node)
	}
	p.Boot(t, rebooted, "second")
	p.state(t, events[1], v1beta1.EventCompleted)
	for _, event := range events {
		p.wait(t, event, "it waits for its node to be Ready", func(event *v1beta1.ScheduledEvent) bool {
			return event.Status.WaitingFor == "node "+event.Spec.NodeName+" to be Ready, so that it can be given back"
		})
	}
	p.stays(t, rebooted, time.Second)
	p.stays(t, over, time.Second)
	for _, node := range p.Nodes {
		p.Up(t, node)
	}
	for _, event := range events {
		p.is(t, event, v1beta1.EventPhaseCompleted)
	}
	p.WaitUntilClean(t)
}

// A node that comes back without a boot ID counts as back when it has been not Ready.
func TestNodeWithoutABootID(t *testing.T) {
	p := newPool(t, 1)
	node := p.Nodes[0]
	p.PatchNodeStatus(t, node, `{"status":{"nodeInfo":{"bootID":""}}}`)
	event := p.announce(t, "reboot", rebootOf(node, 0))
	p.is(t, event, v1beta1.EventPhaseDrained)
	p.stays(t, node, time.Second)
	p.Down(t, node)
	p.Up(t, node)
	p.is(t, event, v1beta1.EventPhaseCompleted)
	p.WaitUntilClean(t)
}

// Nothing is drained before it has to be: the event in two days waits in its hold, and the node stays in service. When its
// time is moved, it starts.
func TestEventWaitsForItsTime(t *testing.T) {
	p := newPool(t, 1)
	node := p.Nodes[0]
	event := p.announce(t, "later", rebootOf(node, 48*time.Hour))
	waiting := p.wait(t, event, "it has a hold, and its times", func(event *v1beta1.ScheduledEvent) bool {
		return event.Status.Maintenance != "" && event.Status.StartTime != nil && event.Status.LatestStartTime != nil
	})
	s, begins := waiting.Status, waiting.Spec.NotBefore.Time
	expected := time.Duration(*s.ExpectedDrainSeconds) * time.Second
	if want := begins.Add(-expected - 10*time.Minute); !s.LatestStartTime.Time.Equal(want) {
		t.Errorf("the latest start is %s, want %s", s.LatestStartTime, want)
	}
	if want := s.LatestStartTime.Add(-time.Hour); !s.StartTime.Time.Equal(want) {
		t.Errorf("the start is %s, want %s", s.StartTime, want)
	}
	p.WaitForEvent(t, "ScheduledEvent", event, decision.ReasonDrainScheduled)
	hold := p.WaitForHold(t, s.Maintenance, "the hold waits for its time", env.WaitsFor(v1beta1.AdmissionNotBefore))
	if !hold.Spec.NotBefore.Time.Equal(s.StartTime.Time) || hold.Spec.StartDeadline == nil || !hold.Spec.StartDeadline.Time.Equal(s.LatestStartTime.Time) {
		t.Errorf("the hold has %+v", hold.Spec)
	}
	p.free(t, node)
	soon := inFuture(30 * time.Minute).UTC().Format(time.RFC3339)
	p.change(t, event, `{"spec":{"notBefore":"`+soon+`"}}`)
	p.is(t, event, v1beta1.EventPhaseDrained)
	p.remove(t.Context(), event)
	p.WaitUntilClean(t)
}
