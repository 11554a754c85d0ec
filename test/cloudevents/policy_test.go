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

// frozen is a policy that lets nothing start in this century.
func frozen(events *v1beta1.PolicyEvents) v1beta1.MaintenancePolicySpec {
	freeze := v1beta1.PolicyFreeze{PolicyWindow: v1beta1.PolicyWindow{Name: "century"}, Dates: &v1beta1.DateRange{From: "2000-01-01", Until: "2099-12-31"}}
	return v1beta1.MaintenancePolicySpec{Schedule: &v1beta1.PolicySchedule{Freezes: []v1beta1.PolicyFreeze{freeze}}, Events: events}
}

// startsIn moves an event so that its latest start comes in a while.
func (p *pool) startsIn(t *testing.T, event string, in time.Duration) {
	t.Helper()
	known := p.wait(t, event, "its latest start is known", func(event *v1beta1.ScheduledEvent) bool { return event.Status.LatestStartTime != nil })
	lead := known.Spec.NotBefore.Sub(known.Status.LatestStartTime.Time)
	p.change(t, event, `{"spec":{"notBefore":"`+inFuture(lead+in).UTC().Format(time.RFC3339)+`"}}`)
}

// A freeze keeps an event until its latest start. Then it starts in spite of the freeze, and says so.
func TestFreezeKeepsAnEventUntilItsLatestStart(t *testing.T) {
	p := newPool(t, 1)
	p.Policy(t, "frozen", frozen(nil))
	event := p.announce(t, "reboot", rebootOf(p.Nodes[0], 48*time.Hour))
	waiting := p.wait(t, event, "it waits for the freeze", func(event *v1beta1.ScheduledEvent) bool {
		hold, err := p.holdOf(t.Context(), event.Name)
		return err == nil && len(env.Waits(hold)) > 0 && event.Status.LatestStartTime != nil && event.Status.DrainStartTime == nil
	})
	p.free(t, p.Nodes[0])
	p.startsIn(t, event, 8*time.Second)
	drained := p.is(t, event, v1beta1.EventPhaseDrained)
	start, latest := drained.Status.DrainStartTime, drained.Status.LatestStartTime
	if start.Before(latest) || !latest.Before(waiting.Status.LatestStartTime) {
		t.Errorf("it started at %s, before its latest start at %s, which was %s first", start, latest, waiting.Status.LatestStartTime)
	}
	p.WaitForEvent(t, "ScheduledEvent", event, decision.ReasonStartedInSpiteOfPolicies)
	hold, err := p.holdOf(t.Context(), event)
	if err != nil || !hold.Spec.BypassPolicies {
		t.Errorf("the hold is %+v, %v; want one that bypasses policies", hold, err)
	}
}

// A policy may let events wait for it even at their latest start.
func TestPolicyLetsAnEventWait(t *testing.T) {
	p := newPool(t, 1)
	p.Policy(t, "frozen", frozen(&v1beta1.PolicyEvents{AtLatestStart: v1beta1.LatestStartWait}))
	event := p.announce(t, "reboot", rebootOf(p.Nodes[0], 0))
	p.blocked(t, event, decision.ReasonLatestStartPassed, "lets it wait", "may hit a node that is not empty")
	p.WaitForEvent(t, "ScheduledEvent", event, decision.ReasonLatestStartPassed)
	p.free(t, p.Nodes[0])
	if hold, err := p.holdOf(t.Context(), event); err != nil || hold.Spec.BypassPolicies {
		t.Errorf("the hold is %+v, %v; want one that asks policies", hold, err)
	}
}

// Nothing is done for a code that nobody knows, but an event tells of it. A policy can say what is to be done, also later.
func TestUnknownCode(t *testing.T) {
	p := newPool(t, 1)
	event := p.announce(t, "odd", v1beta1.ScheduledEventSpec{Source: "tickets", Code: "firmware-update", NodeName: p.Nodes[0]})
	ignored := p.is(t, event, v1beta1.EventPhaseIgnored)
	if ignored.Status.Maintenance != "" || ignored.Status.EndTime != nil {
		t.Errorf("the status is %+v", ignored.Status)
	}
	p.WaitForEvent(t, "ScheduledEvent", event, decision.ReasonUnknownCode)
	p.free(t, p.Nodes[0])
	policy := p.Policy(t, "codes", v1beta1.MaintenancePolicySpec{Events: &v1beta1.PolicyEvents{
		Actions: []v1beta1.PolicyEventAction{{Code: "firmware-update", Action: v1beta1.EventActionDrain}},
	}})
	if drained := p.is(t, event, v1beta1.EventPhaseDrained); drained.Status.Policy != policy {
		t.Errorf("the action is that of %q, want %q", drained.Status.Policy, policy)
	}
}

// A policy may have a known code ignored.
func TestPolicyIgnoresACode(t *testing.T) {
	p := newPool(t, 1)
	policy := p.Policy(t, "codes", v1beta1.MaintenancePolicySpec{Events: &v1beta1.PolicyEvents{
		Actions: []v1beta1.PolicyEventAction{{Code: v1beta1.CodeSystemReboot, Action: v1beta1.EventActionIgnore}},
	}})
	event := p.announce(t, "reboot", rebootOf(p.Nodes[0], 0))
	if ignored := p.is(t, event, v1beta1.EventPhaseIgnored); ignored.Status.Policy != policy {
		t.Errorf("the action is that of %q, want %q", ignored.Status.Policy, policy)
	}
	p.free(t, p.Nodes[0])
}
