// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const newerProfile = `{"kind":"MaintenanceProfile","apiVersion":"maintenance.medik8s.io/v1beta1","newRoot":1,"metadata":{"name":"flatcar"},
"spec":{"newSpec":2,"nodes":{"unlabelled":true,"newNodes":3},"checks":[{"name":"a","newCheck":{"x":4}},{"name":"b","approval":{"newApproval":5}}],
  "triggers":[{"name":"c","newTrigger":{"x":6}}],"notifiers":[{"name":"d","newNotifier":{"x":7}}],
  "states":{"newState":8,"operational":{"newOperational":9,"transitions":[{"name":"e","check":"a","next":"InMaintenance","newTransition":10}]}}},
"status":{"newStatus":11,"conditions":[{"type":"Acting","status":"True","reason":"R","message":"","lastTransitionTime":"2026-01-01T00:00:00Z","newCondition":12}]}}`

const newerEndpoint = `{"kind":"MaintenanceEndpoint","apiVersion":"maintenance.medik8s.io/v1beta1","newRoot":1,"metadata":{"name":"chat"},
"spec":{"newSpec":2,"matrix":{},"newEndpoint":{"url":3},"secretRef":{"name":"s","newSecret":4}},
"status":{"newStatus":5,"threads":[{"channel":"c","notifier":"n","since":"2026-01-01T00:00:00Z","newThread":6}]}}`

const newerNodeProfile = `{"kind":"NodeProfile","apiVersion":"maintenance.medik8s.io/v1beta1","newRoot":1,"metadata":{"name":"w.flatcar"},
"spec":{"nodeName":"w","profile":"flatcar","newSpec":2},
"status":{"newStatus":3,"nodeUID":"u","state":"InMaintenance","sequence":4,
  "transition":{"id":"x/4.1","phase":"Triggers","name":"done","from":"InMaintenance","next":"Operational","decidedTime":"2026-01-01T00:00:00.000000Z","newTransition":4,
    "steps":[{"id":"0-c","trigger":{"name":"c","newTrigger":{"x":5}},"state":"Pending","newStep":6}]},
  "decisions":[{"decision":"Veto","sequence":4,"by":"alice","time":"2026-01-01T00:00:00Z","newDecision":7}],
  "notifications":[{"id":"n","notifier":"d","occasion":"4","state":"Pending","target":{"kind":"slack","endpoint":"e","delivery":"AtLeastOnce"},"time":"2026-01-01T00:00:00Z","newNotification":8}]}}`

// What a newer version has stored of profiles survives, as far as it still holds.
func TestUnknownFieldsOfProfiles(t *testing.T) {
	profile := func(change func(*v1beta1.MaintenanceProfile)) func(v1beta1.Stored) {
		return func(object v1beta1.Stored) { change(object.(*v1beta1.MaintenanceProfile)) }
	}
	node := func(change func(*v1beta1.NodeProfileStatus)) func(v1beta1.Stored) {
		return func(object v1beta1.Stored) { change(&object.(*v1beta1.NodeProfile).Status) }
	}
	for name, test := range map[string]struct {
		stored   string
		change   func(v1beta1.Stored)
		wantLost []string
	}{
		"a profile as it is": {stored: newerProfile},
		"a profile with another mode": {stored: newerProfile, change: profile(func(p *v1beta1.MaintenanceProfile) {
			p.Spec.Mode, p.Spec.Nodes.ByLabel, p.Spec.States.Operational.Notify, p.Status.Counts.Nodes = v1beta1.ProfilePaused, true, []string{"d"}, 3
		})},
		"a profile with another condition": {
			stored:   newerProfile,
			change:   profile(func(p *v1beta1.MaintenanceProfile) { p.Status.Conditions[0].Status = metav1.ConditionFalse }),
			wantLost: []string{`"newCondition":12`},
		},
		"an endpoint as it is": {stored: newerEndpoint},
		"an endpoint with another status": {stored: newerEndpoint, change: func(object v1beta1.Stored) {
			status := &object.(*v1beta1.MaintenanceEndpoint).Status
			status.Threads = append(status.Threads, v1beta1.SlackThread{Channel: "other", Notifier: "n"})
		}},
		"a node as it is": {stored: newerNodeProfile},
		"a transition waits": {
			stored: newerNodeProfile,
			change: node(func(s *v1beta1.NodeProfileStatus) {
				s.WaitingFor, s.Transition.HoldStage = "x", v1beta1.StageDrain
			}),
			wantLost: nil,
		},
		"a transition ends": {
			stored:   newerNodeProfile,
			change:   node(func(s *v1beta1.NodeProfileStatus) { s.Transition = nil }),
			wantLost: []string{`"newTransition":4`, `"newTrigger":{`, `"newStep":6`},
		},
		"a notification is sent": {
			stored: newerNodeProfile,
			change: node(func(s *v1beta1.NodeProfileStatus) { s.Notifications[0].State = v1beta1.NotificationSent }),
		},
		"another node of the name": {
			stored:   newerNodeProfile,
			change:   node(func(s *v1beta1.NodeProfileStatus) { s.NodeUID = "other" }),
			wantLost: []string{`"newStatus":3`},
		},
	} {
		t.Run(name, func(t *testing.T) { wantKept(t, test.stored, test.change, test.wantLost) })
	}
}
