// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// notes makes notifications of texts such as a1:Sent, notifier a.
func notes(texts ...string) []v1beta1.NotificationStatus {
	list := []v1beta1.NotificationStatus{}
	for _, text := range texts {
		id, state, _ := strings.Cut(text, ":")
		list = append(list, v1beta1.NotificationStatus{ID: id, Notifier: id[:1], State: v1beta1.NotificationState(state)})
	}
	return list
}

func many(n int, format string) []string {
	texts := []string{}
	for i := range n {
		texts = append(texts, fmt.Sprintf(format, i))
	}
	return texts
}

func ids(list []v1beta1.NotificationStatus) []string {
	ids := []string{}
	for _, n := range list {
		ids = append(ids, n.ID)
	}
	return ids
}

func TestAdd(t *testing.T) {
	tests := map[string]struct {
		list []string
		want string // the id that is left out
	}{
		"there is room":                    {list: many(19, "a%d:Sent")},
		"the oldest that was sent":         {list: append([]string{"b0:Pending"}, many(19, "a%d:Sent")...), want: "a0"},
		"not the last one of its notifier": {list: append([]string{"b0:Sent"}, many(19, "a%d:Failed")...), want: "a0"},
		"the last one, if all others wait": {
			list: append([]string{"a0:Sending", "b0:Sent"}, many(18, "c%d:Pending")...), want: "b0",
		},
		"the oldest that waits":              {list: append([]string{"a0:Sending"}, many(19, "c%d:Pending")...), want: "c0"},
		"the oldest, if all are under way":   {list: many(20, "c%d:Sending"), want: "c0"},
		"an unknown one counts as done":      {list: append([]string{"a0:Unknown"}, many(19, "a1%d:Pending")...), want: "a0"},
		"one that was made before, in place": {list: []string{"n0:Sent"}, want: ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := notes(test.list...)
			want := []string{}
			for _, id := range append(ids(before), "n0") {
				if id != test.want && !slices.Contains(want, id) {
					want = append(want, id)
				}
			}
			if diff := cmp.Diff(want, ids(Add(before, notes("n0:Pending")[0]))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(notes(test.list...), before); diff != "" {
				t.Errorf("the list was changed, -want +got:\n%s", diff)
			}
		})
	}
}

func TestSettled(t *testing.T) {
	deleted := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		notes []string
		after time.Duration
		want  bool
	}{
		"nothing was to be sent": {want: true},
		"all were sent":          {notes: []string{"a0:Sent", "a1:Failed", "a2:Unknown"}, want: true},
		"one waits":              {notes: []string{"a0:Sent", "a1:Pending"}},
		"one is under way":       {notes: []string{"a0:Sending"}, after: time.Hour - time.Second},
		"an hour is over":        {notes: []string{"a0:Sending"}, after: time.Hour, want: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nodeProfile := &v1beta1.NodeProfile{}
			nodeProfile.DeletionTimestamp = &metav1.Time{Time: deleted}
			nodeProfile.Status.Notifications = notes(test.notes...)
			settled, again := Settled(nodeProfile, deleted.Add(test.after))
			if settled != test.want || !settled && !again.Equal(deleted.Add(time.Hour)) {
				t.Errorf("%v, again %v, want %v", settled, again, test.want)
			}
		})
	}
}

func TestNew(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	nodeProfile := &v1beta1.NodeProfile{Spec: v1beta1.NodeProfileSpec{NodeName: "worker-1", Profile: "flatcar"}}
	nodeProfile.UID = types.UID("u-1")
	nodeProfile.Status.Sequence = 3
	rendered := v1beta1.NotificationTexts{Title: "t", Message: "m"}
	tests := map[string]struct {
		notifier   v1beta1.ProfileNotifier
		want       v1beta1.NotificationTarget
		wantSource [2]string
	}{
		"slack": {
			notifier:   v1beta1.ProfileNotifier{Slack: &v1beta1.SlackNotifier{Endpoint: "e", Channel: "#c", Message: "M"}},
			want:       v1beta1.NotificationTarget{Kind: "slack", Endpoint: "e", Channel: "#c", Delivery: "AtLeastOnce"},
			wantSource: [2]string{"", "M"},
		},
		"slackThread": {
			notifier: v1beta1.ProfileNotifier{SlackThread: &v1beta1.SlackThreadNotifier{
				Endpoint: "e", Channel: "#c", Title: "T", Message: "M", PeriodSeconds: 60,
			}},
			want: v1beta1.NotificationTarget{
				Kind: "slackThread", Endpoint: "e", Channel: "#c", PeriodSeconds: 60, Delivery: "AtLeastOnce",
			},
			wantSource: [2]string{"T", "M"},
		},
		"mail, at most once": {
			notifier: v1beta1.ProfileNotifier{Delivery: "AtMostOnce", Mail: &v1beta1.MailNotifier{
				Endpoint: "e", From: "a@b", To: []string{"c@d"}, Subject: "S", Message: "M",
			}},
			want: v1beta1.NotificationTarget{
				Kind: "mail", Endpoint: "e", From: "a@b", To: []string{"c@d"}, Delivery: "AtMostOnce",
			},
			wantSource: [2]string{"S", "M"},
		},
		"webhook": {
			notifier: v1beta1.ProfileNotifier{Webhook: &v1beta1.WebhookNotifier{Endpoint: "e"}},
			want:     v1beta1.NotificationTarget{Kind: "webhook", Endpoint: "e", Delivery: "AtLeastOnce"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.notifier.Name = "n"
			got := New(nodeProfile, &test.notifier, "3", rendered, now)
			want := v1beta1.NotificationStatus{
				ID: "u-1/n/3", Notifier: "n", Occasion: "3", Sequence: 3, State: v1beta1.NotificationPending,
				Target: test.want, Texts: &rendered, Time: metav1.NewTime(now),
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			title, message := Templates(&test.notifier)
			if diff := cmp.Diff(test.wantSource, [2]string{title, message}); diff != "" {
				t.Errorf("templates, -want +got:\n%s", diff)
			}
		})
	}
}
