// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const newerEvent = `{"kind":"ScheduledEvent","apiVersion":"maintenance.medik8s.io/v1beta1","newRoot":1,"metadata":{"name":"a"},
"spec":{"code":"instance-stop","newSpec":2,"machineRef":{"apiGroup":"g","namespace":"ns","name":"m","newRef":3}},
"status":{"newStatus":4,"nodeUID":"u","replacement":{"strategy":"SurgeFirst","step":"Surge","newReplacement":5,
  "machine":{"apiGroup":"g","kind":"Machine","namespace":"ns","name":"m","uid":"mu","newMachineOf":6}},
  "conditions":[{"type":"Blocked","status":"True","reason":"R","message":"","lastTransitionTime":"2026-01-01T00:00:00Z","newCondition":7}]}}`

// What a newer version has stored of events survives, as far as it still holds.
func TestUnknownFieldsOfEvents(t *testing.T) {
	event := func(change func(*v1beta1.ScheduledEvent)) func(v1beta1.Stored) {
		return func(object v1beta1.Stored) { change(object.(*v1beta1.ScheduledEvent)) }
	}
	for name, test := range map[string]struct {
		change   func(v1beta1.Stored)
		wantLost []string
	}{
		"as it is": {},
		"the replacement goes on": {change: event(func(e *v1beta1.ScheduledEvent) {
			e.Spec.State, e.Status.Replacement.Step, e.Status.WaitingFor = v1beta1.EventCompleted, v1beta1.StepUndo, "x"
		})},
		"another machine is replaced": {
			change:   event(func(e *v1beta1.ScheduledEvent) { e.Status.Replacement.Machine.UID = "other" }),
			wantLost: []string{`"newMachineOf":6`},
		},
		"it is not blocked any more": {
			change:   event(func(e *v1beta1.ScheduledEvent) { e.Status.Conditions[0].Status = metav1.ConditionFalse }),
			wantLost: []string{`"newCondition":7`},
		},
		"another node": {
			change:   event(func(e *v1beta1.ScheduledEvent) { e.Status.NodeUID = "other" }),
			wantLost: []string{`"newStatus":4`},
		},
	} {
		t.Run(name, func(t *testing.T) { wantKept(t, newerEvent, test.change, test.wantLost) })
	}
}
