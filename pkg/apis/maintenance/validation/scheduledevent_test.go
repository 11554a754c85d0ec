// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func newEvent(change ...func(*v1beta1.ScheduledEvent)) *v1beta1.ScheduledEvent {
	event := &v1beta1.ScheduledEvent{
		ObjectMeta: metav1.ObjectMeta{Name: "tickets.7"},
		Spec: v1beta1.ScheduledEventSpec{
			Source: "tickets", EventID: "7", Code: "instance-stop", NodeName: "worker-1", InstanceID: "i-0abcd1234",
			MachineRef: &v1beta1.MachineReference{APIGroup: v1beta1.ClusterAPIGroup, Namespace: "clusters", Name: "md-0.a"},
			NotBefore:  at("2026-12-05T20:00:00Z"), NotAfter: at("2026-12-05T22:00:00Z"), Deadline: at("2026-12-12T20:00:00Z"),
			Description: "The host fails", State: v1beta1.EventScheduled,
		},
	}
	for _, c := range change {
		c(event)
	}
	return event
}

func spec(change func(*v1beta1.ScheduledEventSpec)) func(*v1beta1.ScheduledEvent) {
	return func(event *v1beta1.ScheduledEvent) { change(&event.Spec) }
}

func TestScheduledEvents(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*v1beta1.ScheduledEvent)
		want   []string
	}{
		"every field": {change: func(*v1beta1.ScheduledEvent) {}},
		"only a node, and no times": {change: spec(func(s *v1beta1.ScheduledEventSpec) {
			*s = v1beta1.ScheduledEventSpec{Source: "manual", Code: "hypervisor-update", NodeName: "a.example.com", State: v1beta1.EventScheduled}
		})},
		"an instance of another cloud": {change: spec(func(s *v1beta1.ScheduledEventSpec) { s.InstanceID = "4f6e_A.b:7" })},
		"times at the same moment":     {change: spec(func(s *v1beta1.ScheduledEventSpec) { s.NotAfter = s.NotBefore })},
		"a deadline alone":             {change: spec(func(s *v1beta1.ScheduledEventSpec) { s.NotBefore, s.NotAfter = nil, nil })},
		"no node": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) { s.NodeName, s.InstanceID, s.MachineRef = "", "", nil }),
			want:   []string{"spec: Required value: must say which node is meant: nodeName, instanceID or machineRef"},
		},
		"no code": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) { s.Code = "" }),
			want:   []string{"spec.code: Required value: must be what happens to the machine, such as system-reboot"},
		},
		"a bad code": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) { s.Code = "Instance_Stop" }),
			want: []string{`spec.code: Invalid value: "Instance_Stop": must have only lower-case letters, digits and "-", ` +
				`with a letter or a digit at both ends, such as system-reboot`},
		},
		"a long code": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) { s.Code = strings.Repeat("a", 64) }),
			want:   []string{"spec.code: Too long: may not be more than 63 bytes"},
		},
		"a provider id": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) { s.InstanceID = "aws:///eu-west-1a/i-0abcd1234" }),
			want: []string{`spec.instanceID: Invalid value: "aws:///eu-west-1a/i-0abcd1234": must be the last part of a node's spec.providerID, ` +
				`such as i-0abcd1234, without "/": letters, digits, "-", "_", "." and ":"`},
		},
		"long ids": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) {
				s.InstanceID, s.EventID = strings.Repeat("a", 254), strings.Repeat("a", 254)
			}),
			want: []string{"spec.eventID: Too long: may not be more than 253 bytes", "spec.instanceID: Too long: may not be more than 253 bytes"},
		},
		"an id on two lines": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) { s.EventID = "a\nb" }),
			want:   []string{`spec.eventID: Invalid value: "a\nb": must not have the control character LF (U+000A, a new line), which is at position 2`},
		},
		"another kind of machine": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) {
				s.MachineRef = &v1beta1.MachineReference{APIGroup: "v1", Namespace: "a b", Name: "C"}
			}),
			want: []string{
				`spec.machineRef.apiGroup: Unsupported value: "v1": supported values: "machine.openshift.io", "cluster.x-k8s.io"`,
				`spec.machineRef.namespace: Invalid value: "a b": ` + dnsLabel, `spec.machineRef.name: Invalid value: "C": ` + notSubdomain,
			},
		},
		"a bad source and a bad state": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) { s.Source, s.State = "Tickets", "Done" }),
			want: []string{
				`spec.source: Invalid value: "Tickets": ` + dnsLabel,
				`spec.state: Unsupported value: "Done": supported values: "Scheduled", "Canceled", "Completed"`,
			},
		},
		"it ends before it begins": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) { s.NotAfter = at("2026-12-05T19:59:59Z") }),
			want:   []string{`spec.notAfter: Invalid value: "2026-12-05T19:59:59Z": must not be before notBefore`},
		},
		"it cannot be put off until it begins": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) { s.Deadline = at("2026-12-05T19:59:59Z") }),
			want:   []string{`spec.deadline: Invalid value: "2026-12-05T19:59:59Z": must not be before notBefore`},
		},
		"times that cannot be read again": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) {
				s.NotBefore, s.NotAfter, s.Deadline = nil, at("2201-01-01T00:00:00Z"), at("1969-01-01T00:00:00Z")
			}),
			want: []string{
				`spec.notAfter: Invalid value: "2201-01-01T00:00:00Z": must be in a year between 1970 and 2200`,
				`spec.deadline: Invalid value: "1969-01-01T00:00:00Z": must be in a year between 1970 and 2200`,
			},
		},
		"a long description": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) { s.Description = strings.Repeat("ä", 1025) }),
			want:   []string{"spec.description: Too long: may not be more than 1024 characters"},
		},
		"a description with an escape code": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) { s.Description = "a\x1b[2J" }),
			want:   []string{`spec.description: Invalid value: "a\x1b[2J": must not have the control character ESC (U+001B), which is at position 2`},
		},
		"a large object": {
			change: func(event *v1beta1.ScheduledEvent) {
				event.Annotations, event.Spec.Code = map[string]string{"a": strings.Repeat("a", 64<<10)}, ""
			},
			want: []string{"object: Too long: may not be more than 65536 bytes"},
		},
		"a version": {
			change: func(event *v1beta1.ScheduledEvent) { event.ResourceVersion = "7" },
			want:   []string{"metadata.resourceVersion: Forbidden: must not be set on a new object"},
		},
	} {
		t.Run(name, func(t *testing.T) { wantErrors(t, ValidateScheduledEvent(newEvent(test.change)), test.want...) })
	}
}

func TestWhatStaysOfAnEvent(t *testing.T) {
	const another = "; for another event create another ScheduledEvent"
	stays := func(is string) string {
		return "must stay " + is + ": the node is given back; if the event happens after all, create another ScheduledEvent"
	}
	inState := func(state v1beta1.ScheduledEventState) func(*v1beta1.ScheduledEvent) {
		return spec(func(s *v1beta1.ScheduledEventSpec) { s.State = state })
	}
	for name, test := range map[string]struct {
		old, change func(*v1beta1.ScheduledEvent)
		want        []string
	}{
		"what may change": {change: spec(func(s *v1beta1.ScheduledEventSpec) {
			s.State, s.Description, s.NotBefore, s.NotAfter, s.Deadline = v1beta1.EventCompleted, "done", at("2026-12-05T21:00:00Z"), nil, nil
		})},
		"it is canceled": {change: inState(v1beta1.EventCanceled)},
		"what stays": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) {
				s.Source, s.EventID, s.Code, s.NodeName, s.InstanceID, s.MachineRef = "a", "b", "c", "d", "e", nil
			}),
			want: []string{
				`spec.source: Invalid value: "a": field is immutable: must stay "tickets"` + another,
				`spec.eventID: Invalid value: "b": field is immutable: must stay "7"` + another,
				`spec.code: Invalid value: "c": field is immutable: must stay "instance-stop"` + another,
				`spec.nodeName: Invalid value: "d": field is immutable: must stay "worker-1"` + another,
				`spec.instanceID: Invalid value: "e": field is immutable: must stay "i-0abcd1234"` + another,
				"spec.machineRef: Forbidden: field is immutable: for another event create another ScheduledEvent",
			},
		},
		"canceled, and completed": {
			old: inState(v1beta1.EventCanceled), change: inState(v1beta1.EventCompleted),
			want: []string{`spec.state: Invalid value: "Completed": ` + stays("Canceled")},
		},
		"completed, and scheduled": {
			old: inState(v1beta1.EventCompleted), change: inState(v1beta1.EventScheduled),
			want: []string{`spec.state: Invalid value: "Scheduled": ` + stays("Completed")},
		},
		"it ends before it begins": {
			change: spec(func(s *v1beta1.ScheduledEventSpec) { s.NotBefore = at("2026-12-05T23:00:00Z") }),
			want:   []string{`spec.notAfter: Invalid value: "2026-12-05T22:00:00Z": must not be before notBefore`},
		},
		"what a newer version has stored": {
			old: inState("Postponed"), change: func(event *v1beta1.ScheduledEvent) {
				event.Spec.State, event.Spec.Description = "Postponed", "new"
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			old := newEvent()
			if test.old != nil {
				test.old(old)
			}
			changed := old.DeepCopy()
			test.change(changed)
			wantErrors(t, ValidateScheduledEventUpdate(changed, old), test.want...)
		})
	}
}

func TestStatusOfAnEvent(t *testing.T) {
	old, changed := newEvent(), newEvent()
	changed.Status = v1beta1.ScheduledEventStatus{
		Phase: v1beta1.EventPhaseReplacing, Action: v1beta1.EventActionReplace,
		Replacement: &v1beta1.MachineReplacement{Strategy: v1beta1.DeleteFirst, Step: v1beta1.StepAwaitGone},
	}
	wantErrors(t, ValidateScheduledEventStatusUpdate(changed, old))
	changed.Status = v1beta1.ScheduledEventStatus{
		ObservedGeneration: -1, Phase: "Waiting", Action: "Reboot", ExpectedDrainSeconds: ptr.To[int64](-1),
		Replacement: &v1beta1.MachineReplacement{Strategy: "Both", Step: "Wait", TimeoutSeconds: ptr.To[int64](-1)},
	}
	wantErrors(t, ValidateScheduledEventStatusUpdate(changed, old),
		"status.observedGeneration: Invalid value: -1: must be greater than or equal to 0",
		`status.phase: Unsupported value: "Waiting": supported values: "Pending", "Draining", "Drained", "Replacing", "Returning", "Completed", "Canceled", "Ignored"`,
		`status.action: Unsupported value: "Reboot": supported values: "Drain", "Replace", "Ignore"`,
		"status.expectedDrainSeconds: Invalid value: -1: must be greater than or equal to 0",
		`status.replacement.strategy: Unsupported value: "Both": supported values: "SurgeFirst", "DeleteFirst"`,
		`status.replacement.step: Unsupported value: "Wait": supported values: "Surge", "AwaitNewNode", "AwaitDrain", "Delete", "AwaitGone", `+
			`"AwaitReplaced", "Undo", "Replaced", "GivenUp"`,
		"status.replacement.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0")
	wantErrors(t, ValidateScheduledEventStatusUpdate(changed, changed))
}
