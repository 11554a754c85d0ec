// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package cloudevents

import (
	"testing"
	"time"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cloudevents/decision"
)

// An event that was canceled before its drain withdraws its hold, and one that was canceled in it gives the node back. So
// does one that is deleted.
func TestEventsEndEarly(t *testing.T) {
	p := newPool(t, 3)
	p.Run(t, p.Cluster.Workload(p.Name).Pod("stuck", localcluster.OnNode(p.Nodes[1]), localcluster.Label(localcluster.AppLabel, "stuck")).
		Budget("stuck", localcluster.MinAvailable("1")))
	later := p.announce(t, "later", rebootOf(p.Nodes[0], 48*time.Hour))
	midway := p.announce(t, "midway", rebootOf(p.Nodes[1], 0))
	deleted := p.announce(t, "deleted", rebootOf(p.Nodes[2], 0))
	p.wait(t, later, "it has a hold", func(event *v1beta1.ScheduledEvent) bool { return event.Status.Maintenance != "" })
	p.is(t, midway, v1beta1.EventPhaseDraining)
	p.is(t, deleted, v1beta1.EventPhaseDrained)
	for _, event := range []string{later, midway} {
		p.state(t, event, v1beta1.EventCanceled)
		p.is(t, event, v1beta1.EventPhaseCanceled)
		p.WaitForEvent(t, "ScheduledEvent", event, decision.ReasonEventCanceled)
	}
	if err := p.remove(t.Context(), deleted); err != nil {
		t.Fatal(err)
	}
	p.WaitUntilClean(t)
	p.noHolds(t)
}

// An event that is over before anything began needs nothing, and nothing is done for it.
func TestEventIsOverBeforeItBegan(t *testing.T) {
	p := newPool(t, 1)
	event := p.announce(t, "over", rebootOf(p.Nodes[0], 48*time.Hour))
	p.wait(t, event, "it has a hold", func(event *v1beta1.ScheduledEvent) bool { return event.Status.Maintenance != "" })
	p.state(t, event, v1beta1.EventCompleted)
	if done := p.is(t, event, v1beta1.EventPhaseCompleted); done.Status.DrainStartTime != nil {
		t.Errorf("a drain has started: %+v", done.Status)
	}
	p.noHolds(t)
	p.free(t, p.Nodes[0])
}

// A node that goes for good ends its event, and a new one of its name is not held.
func TestNodeGoesInItsMaintenance(t *testing.T) {
	p := newPool(t, 1)
	event := p.announce(t, "reboot", rebootOf(p.Nodes[0], 0))
	p.is(t, event, v1beta1.EventPhaseDrained)
	p.bearAgain(t, p.Nodes[0])
	if done := p.is(t, event, v1beta1.EventPhaseCompleted); done.Status.Outcome != "node "+p.Nodes[0]+" is gone" {
		t.Errorf("the outcome is %q", done.Status.Outcome)
	}
	p.WaitUntilClean(t)
	p.noHolds(t)
}
