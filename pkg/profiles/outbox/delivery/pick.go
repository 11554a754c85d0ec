// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
)

// key is what a worker looks at: what a NodeProfile has to send to an endpoint. So one that is slow holds up no other,
// not even for the same NodeProfile.
type key struct {
	nodeProfile, endpoint string
}

// keysOf are those of a NodeProfile that has something to send.
func keysOf(nodeProfile *v1beta1.NodeProfile) []key {
	var keys []key
	for i := range nodeProfile.Status.Notifications {
		n := &nodeProfile.Status.Notifications[i]
		if one := (key{nodeProfile.Name, n.Target.Endpoint}); outbox.Unsent(n) && !slices.Contains(keys, one) {
			keys = append(keys, one)
		}
	}
	return keys
}

// dueAt is the time when an unsent notification is to be looked at.
func dueAt(n *v1beta1.NotificationStatus) time.Time {
	if n.NextTime == nil {
		return time.Time{}
	}
	return n.NextTime.Time
}

// pick returns the ids of the notifications to an endpoint that are due, oldest first, and when the next one is; zero:
// there is none.
func pick(nodeProfile *v1beta1.NodeProfile, endpoint string, now time.Time) (due []string, next time.Time) {
	for i := range nodeProfile.Status.Notifications {
		n := &nodeProfile.Status.Notifications[i]
		switch at := dueAt(n); {
		case !outbox.Unsent(n) || n.Target.Endpoint != endpoint:
		case !at.After(now):
			due = append(due, n.ID)
		case next.IsZero() || at.Before(next):
			next = at
		}
	}
	return due, next
}

// byID returns a notification; nil: it is not listed any more.
func byID(nodeProfile *v1beta1.NodeProfile, id string) *v1beta1.NotificationStatus {
	for i := range nodeProfile.Status.Notifications {
		if n := &nodeProfile.Status.Notifications[i]; n.ID == id {
			return n
		}
	}
	return nil
}
