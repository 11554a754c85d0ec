// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/cputest"
)

const newerPolicy = `{"kind":"MaintenancePolicy","apiVersion":"maintenance.medik8s.io/v1beta1","newRoot":1,"metadata":{"name":"a"},
"spec":{"newSpec":2,"nodeSelector":{"matchLabels":{"pool":"web"},"newSelector":3},
  "limits":{"newLimit":4,"topology":[{"key":"zone","maxDomains":1,"newTopology":5}]},
  "pace":{"newPace":6},"autoStop":{"failures":2,"newStop":7},
  "schedule":{"newSchedule":8,"windows":[{"name":"full-moon","newForm":{"phase":9}}]},
  "approvals":{"count":1,"newApproval":10},"gates":{"start":[{"newGate":{"url":11}}],"newGates":12},"queue":{"newQueue":13},
  "events":{"newEvents":16,"actions":[{"code":"c","action":"Drain","newAction":17}],"replacement":{"newReplacement":18}}},
"status":{"newStatus":14,"conditions":[{"type":"Open","status":"True","reason":"R","message":"","lastTransitionTime":"2026-01-01T00:00:00Z","newCondition":15}]}}`

const newerLedger = `{"kind":"MaintenanceLedger","apiVersion":"maintenance.medik8s.io/v1beta1","newRoot":1,"metadata":{"name":"cluster"},
"spec":{"epoch":1,"newSpec":2,"entries":[
  {"node":"w-1","nodeUID":"u1","admittedTime":"2026-01-01T00:00:00.000000Z","newEntry":3,"holds":[{"name":"h","uid":"hu","stage":"Drain","time":"2026-01-01T00:00:00.000000Z","newHold":4}]},
  {"node":"w-2","nodeUID":"u2","admittedTime":"2026-01-01T00:00:00.000000Z","newEntry":5}]}}`

// What a newer version has stored survives in every kind, as far as it still holds.
func TestUnknownFieldsOfEveryKind(t *testing.T) {
	policy := func(object v1beta1.Stored) *v1beta1.MaintenancePolicySpec {
		return &object.(*v1beta1.MaintenancePolicy).Spec
	}
	ledger := func(object v1beta1.Stored) *v1beta1.MaintenanceLedgerSpec {
		return &object.(*v1beta1.MaintenanceLedger).Spec
	}
	tests := map[string]struct {
		stored   string
		change   func(v1beta1.Stored)
		wantLost []string
	}{
		"a policy as it is": {stored: newerPolicy},
		"a policy with other limits": {stored: newerPolicy, change: func(object v1beta1.Stored) {
			spec := policy(object)
			spec.Paused, spec.Pace.SoakSeconds, spec.Schedule.LastStartSeconds, spec.AutoStop.Failures = true, 5, 5, 3
			spec.Limits.MaxConcurrent, object.(*v1beta1.MaintenancePolicy).Status.Selected = nil, 9
		}},
		"a policy with other records": {
			stored: newerPolicy,
			change: func(object v1beta1.Stored) {
				spec := policy(object)
				spec.NodeSelector.MatchLabels["pool"], spec.Limits.Topology[0].Key, spec.Schedule.Windows[0].Name = "db", "rack", "moon"
				spec.Gates.Start[0].PlanUnblocked = true
				spec.Events.AtLatestStart, spec.Events.Actions[0].Action = v1beta1.LatestStartWait, v1beta1.EventActionIgnore
				spec.Events.Replacement.Strategy = v1beta1.DeleteFirst
				object.(*v1beta1.MaintenancePolicy).Status.Conditions[0].Status = metav1.ConditionFalse
			},
			wantLost: []string{`"newSelector":3`, `"newTopology":5`, `"newForm":{`, `"newGate":{`, `"newAction":17`, `"newCondition":15`},
		},
		"a policy without its parts": {
			stored:   newerPolicy,
			change:   func(object v1beta1.Stored) { policy(object).Pace, policy(object).AutoStop = nil, nil },
			wantLost: []string{`"newPace":6`, `"newStop":7`},
		},
		"a ledger as it is": {stored: newerLedger},
		"a node is given back": {
			stored:   newerLedger,
			change:   func(object v1beta1.Stored) { ledger(object).Entries[0].GivenBackTime = &metav1.MicroTime{} },
			wantLost: []string{`"newHold":4`},
		},
		"a hold ends": {
			stored:   newerLedger,
			change:   func(object v1beta1.Stored) { ledger(object).Entries[0].Holds = nil },
			wantLost: []string{`"newHold":4`},
		},
		"an entry ends": {stored: newerLedger, change: func(object v1beta1.Stored) { ledger(object).Entries = ledger(object).Entries[1:] }, wantLost: []string{`"newEntry":3`, `"newHold":4`}},
		"an entry comes": {stored: newerLedger, change: func(object v1beta1.Stored) {
			ledger(object).Entries = append([]v1beta1.LedgerEntry{{Node: "w-0"}}, ledger(object).Entries...)
		}},
		"another node of the name": {stored: newerLedger, change: func(object v1beta1.Stored) { ledger(object).Entries[1].NodeUID = "u3" }, wantLost: []string{`"newEntry":5`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { wantKept(t, test.stored, test.change, test.wantLost) })
	}
}

// wantKept fails the test unless a change of a stored object keeps all fields that are not known, but for those that are
// lost.
func wantKept(t *testing.T, stored string, change func(v1beta1.Stored), wantLost []string) {
	t.Helper()
	object := decodedObject(t, stored)
	if change != nil {
		change(object)
	}
	written := encoded(t, object)
	var lost []string
	for _, field := range newField.FindAllString(stored, -1) {
		if !strings.Contains(written, field) {
			lost = append(lost, field)
		}
	}
	if diff := cmp.Diff(wantLost, lost); diff != "" {
		t.Errorf("lost fields (-want +got):\n%s\nwritten: %s", diff, written)
	}
}

// newField is a field that this version does not know, with the beginning of its value.
var newField = regexp.MustCompile(`"new\w+":(\d+|{)`)

// A ledger with thousands of entries is written in a moment, although each has something that is not known.
func TestManyUnknownFields(t *testing.T) {
	const entry = `{"node":"w-%05d","nodeUID":"u","admittedTime":"2026-01-01T00:00:00.000000Z","newEntry":%[1]d}`
	var entries []string
	for i := range 5000 {
		entries = append(entries, fmt.Sprintf(entry, i))
	}
	object := decodedObject(t, `{"kind":"MaintenanceLedger","apiVersion":"maintenance.medik8s.io/v1beta1","metadata":{"name":"cluster"},"spec":{"epoch":1,"entries":[`+
		strings.Join(entries, ",")+`]}}`).(*v1beta1.MaintenanceLedger)
	object.Spec.Entries = object.Spec.Entries[1:]
	var written string
	if took := cputest.Time(t, func() { written = encoded(t, object) }); took > 10*time.Second {
		t.Errorf("to write it took %s of processor time", took)
	}
	if kept := strings.Count(written, `"newEntry":`); kept != 4999 {
		t.Errorf("%d unknown fields are kept, want 4999", kept)
	}
}
