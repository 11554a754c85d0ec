// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduledevent

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestColumns(t *testing.T) {
	at := func(hour int) *metav1.Time {
		return ptr.To(metav1.NewTime(time.Date(2026, 12, 5, hour, 30, 0, 0, time.FixedZone("", 3600))))
	}
	machine := &v1beta1.MachineReference{APIGroup: "cluster.x-k8s.io", Namespace: "clusters", Name: "md-0"}
	for name, test := range map[string]struct {
		event v1beta1.ScheduledEvent
		want  string
	}{
		"new": {
			event: v1beta1.ScheduledEvent{
				ObjectMeta: metav1.ObjectMeta{Name: "a"},
				Spec:       v1beta1.ScheduledEventSpec{Source: "manual", Code: "system-reboot", NodeName: "worker-1"},
				Status:     v1beta1.ScheduledEventStatus{Phase: v1beta1.EventPhasePending},
			},
			want: "a|worker-1|system-reboot|<unknown>|Pending|<none>|<none>|<none>|<unknown>|manual|<none>|<none>|<none>|<none>",
		},
		"everything is known": {
			event: v1beta1.ScheduledEvent{
				ObjectMeta: metav1.ObjectMeta{Name: "aws.e", CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))},
				Spec: v1beta1.ScheduledEventSpec{
					Source: "aws", Code: "instance-stop", InstanceID: "i-1", MachineRef: machine, NotBefore: at(21), Deadline: at(22),
				},
				Status: v1beta1.ScheduledEventStatus{
					Phase: v1beta1.EventPhaseDraining, NodeName: "worker-2", Action: v1beta1.EventActionReplace, LatestStartTime: at(19),
					Maintenance: "event-1", WaitingFor: strings.Repeat("a ", 40), Outcome: "done\x1b",
				},
			},
			want: "aws.e|worker-2|instance-stop|Replace|Draining|2026-12-05 20:30 UTC|2026-12-05 18:30 UTC|" + strings.Repeat("a ", 28) + "a...|60m|" +
				`aws|i-1|clusters/md-0|event-1|done\u001b`,
		},
		"blocked": {
			event: blocked(metav1.ConditionTrue),
			want:  "a|<none>|c|<unknown>|Pending|<none>|<none>|NoOwner: nothing replaces it|<unknown>||<none>|<none>|<none>|<none>",
		},
		"not blocked any more": {
			event: blocked(metav1.ConditionFalse),
			want:  "a|<none>|c|<unknown>|Pending|<none>|<none>|a window|<unknown>||<none>|<none>|<none>|<none>",
		},
		"the machine that is replaced": {
			event: v1beta1.ScheduledEvent{
				ObjectMeta: metav1.ObjectMeta{Name: "a", DeletionTimestamp: at(1)},
				Spec:       v1beta1.ScheduledEventSpec{Code: "c", Deadline: at(22)},
				Status: v1beta1.ScheduledEventStatus{
					Phase:       v1beta1.EventPhaseReplacing,
					Replacement: &v1beta1.MachineReplacement{Machine: v1beta1.ReplacedObject{Namespace: "ns", Name: "m"}},
				},
			},
			want: "a|<none>|c|<unknown>|Terminating|<none>|<none>|<none>|<unknown>||<none>|ns/m|<none>|<none>",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := table.ConvertToTable(t.Context(), &test.event, nil)
			if err != nil {
				t.Fatal(err)
			}
			var cells []string
			for _, cell := range got.Rows[0].Cells {
				cells = append(cells, fmt.Sprint(cell))
			}
			if diff := cmp.Diff(test.want, strings.Join(cells, "|")); diff != "" {
				t.Errorf("cells differ (-want +got):\n%s", diff)
			}
		})
	}
}

// blocked is an event whose condition Blocked has a status.
func blocked(status metav1.ConditionStatus) v1beta1.ScheduledEvent {
	event := v1beta1.ScheduledEvent{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: v1beta1.ScheduledEventSpec{Code: "c"}}
	event.Status = v1beta1.ScheduledEventStatus{Phase: v1beta1.EventPhasePending, WaitingFor: "a window", Conditions: []metav1.Condition{
		{Type: v1beta1.ConditionBlocked, Status: status, Reason: "NoOwner", Message: "nothing replaces it"},
	}}
	return event
}
