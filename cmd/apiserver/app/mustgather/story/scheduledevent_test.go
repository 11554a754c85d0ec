// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package story

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestScheduledEvent(t *testing.T) {
	tests := map[string]struct {
		status v1beta1.ScheduledEventStatus
		want   string
	}{
		"it has no node": {want: "\nNo node is in maintenance, and nothing tells of an earlier maintenance.\n"},
		"it waits": {
			status: v1beta1.ScheduledEventStatus{NodeName: "worker-1", StartTime: ptr(at(90)), LatestStartTime: ptr(at(120))},
			want: `
Node worker-1: not in maintenance now
  12:00:00  cloud     reboot: system-reboot was announced by tickets
  12:01:00  now; what follows is still to come
  12:01:30  cloud     reboot: the drain is to start
  12:02:00  cloud     reboot: the drain has to start
  12:03:00  cloud     reboot: system-reboot begins at the earliest
`,
		},
		"it has ended": {
			status: v1beta1.ScheduledEventStatus{
				NodeName: "worker-1", Maintenance: "h-1", DrainStartTime: ptr(at(10)), DrainedTime: ptr(at(20)), EndTime: ptr(at(30)),
				Phase: v1beta1.EventPhaseCompleted, Outcome: "node worker-1 came back",
			},
			want: `
Node worker-1: not in maintenance now
  12:00:00  cloud   h-1  reboot: system-reboot was announced by tickets
  12:00:10  cloud   h-1  reboot: the drain began
  12:00:20  cloud   h-1  reboot: the node was empty
  12:00:30  cloud   h-1  reboot: Completed: node worker-1 came back
`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := New(at(60).Time)
			s.ScheduledEvent(&v1beta1.ScheduledEvent{
				ObjectMeta: metav1.ObjectMeta{Name: "reboot", CreationTimestamp: at(0)},
				Spec: v1beta1.ScheduledEventSpec{
					Source: "tickets", Code: v1beta1.CodeSystemReboot, State: v1beta1.EventScheduled, NotBefore: ptr(at(180)),
				},
				Status: test.status,
			})
			if diff := cmp.Diff(test.want, told(t, s)); diff != "" {
				t.Errorf("the story (-want +got):\n%s", diff)
			}
		})
	}
}
