// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/drainertest"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// A NodeProfile that is deleted waits for what it has to send, but not for ever.
func TestWaitsForItsNotifications(t *testing.T) {
	for name, sent := range map[string]bool{"sent": true, "never sent": false} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.node("w-1")
				w.profile("flatcar")
				w.start()
				w.wait(time.Minute)
				notify := func(state v1beta1.NotificationState) {
					nodeProfile := &v1beta1.NodeProfile{ObjectMeta: metav1.ObjectMeta{Name: v1beta1.NodeProfileName("w-1", "flatcar")}}
					drainertest.Change(w.Server, nodeProfile, func(n *v1beta1.NodeProfile) {
						n.Status.Notifications = []v1beta1.NotificationStatus{{ID: "1", State: state}}
					})
				}
				notify(v1beta1.NotificationPending)
				deleteProfile(w)
				w.wait(outbox.GivenUpAfter - time.Minute)
				if w.get("w-1", "flatcar") == nil {
					t.Fatal("it is gone, want that it waits for its notification")
				}
				if sent {
					notify(v1beta1.NotificationSent)
					w.wait(time.Second)
				} else {
					w.wait(2 * time.Minute)
				}
				if got := w.get("w-1", "flatcar"); got != nil {
					t.Errorf("it is still there: %+v", got)
				}
			})
		})
	}
}
