// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/generated/clientset/versioned/fake"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/endpoint"
)

func TestThreads(t *testing.T) {
	client := fake.NewSimpleClientset(&v1beta1.MaintenanceEndpoint{ObjectMeta: metav1.ObjectMeta{Name: "e"}})
	threads := NewThreads(client.MaintenanceV1beta1().MaintenanceEndpoints())
	target := v1beta1.NotificationTarget{Endpoint: "e", Channel: "#a"}
	find := func(notifier string) v1beta1.SlackThread {
		t.Helper()
		found, err := threads.Find(t.Context(), target, notifier)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	record := func(thread v1beta1.SlackThread) {
		t.Helper()
		if err := threads.Record(t.Context(), target, thread); err != nil {
			t.Fatal(err)
		}
	}
	if found := find("chat"); found != (v1beta1.SlackThread{}) {
		t.Errorf("%+v", found)
	}
	begun := v1beta1.SlackThread{Channel: "#a", Notifier: "chat", Since: metav1.NewTime(start)}
	record(begun)
	begun.Timestamp = "12.34"
	record(begun)
	record(v1beta1.SlackThread{Channel: "#b", Notifier: "chat", Since: metav1.NewTime(start)})
	if diff := cmp.Diff(begun, find("chat")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for i := range v1beta1.MaxThreads {
		since := metav1.NewTime(start.Add(time.Duration(i+1) * time.Minute))
		record(v1beta1.SlackThread{Channel: "#a", Notifier: fmt.Sprint("n", i), Since: since})
	}
	if found := find("chat"); found != (v1beta1.SlackThread{}) {
		t.Errorf("the oldest was not forgotten: %+v", found)
	}
	if find("n0") == (v1beta1.SlackThread{}) {
		t.Error("another one was forgotten")
	}
	var unusable *endpoint.Error
	if _, err := threads.Find(t.Context(), v1beta1.NotificationTarget{Endpoint: "gone"}, "chat"); !errors.As(err, &unusable) {
		t.Errorf("error %v", err)
	}
}
