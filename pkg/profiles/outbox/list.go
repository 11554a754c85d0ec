// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"slices"
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// GivenUpAfter is how long it is tried to send a notification. It is also how long the finalizer of a NodeProfile waits
// for its notifications at most.
const GivenUpAfter = time.Hour

// Unsent says whether a notification is still to be sent, or may be under way.
func Unsent(n *v1beta1.NotificationStatus) bool {
	return n.State == v1beta1.NotificationPending || n.State == v1beta1.NotificationSending
}

// Add returns the notifications with one more, and with v1beta1.MaxNotifications at most. What does not fit is left out,
// oldest first: those that were sent, but not the last one of their notifier; then those that were sent; then those that
// wait to be sent. One that has the id of another one is not added: it was made before.
func Add(list []v1beta1.NotificationStatus, made v1beta1.NotificationStatus) []v1beta1.NotificationStatus {
	if slices.ContainsFunc(list, func(n v1beta1.NotificationStatus) bool { return n.ID == made.ID }) {
		return list
	}
	list = append(slices.Clone(list), made)
	for len(list) > v1beta1.MaxNotifications {
		list = slices.Delete(list, leastWanted(list), leastWanted(list)+1)
	}
	return list
}

// leastWanted is the place of the notification that is left out first; the one that was added last is kept.
func leastWanted(list []v1beta1.NotificationStatus) int {
	last := map[string]int{}
	for i := range list {
		last[list[i].Notifier] = i
	}
	before := list[:len(list)-1]
	for _, leave := range []func(i int) bool{
		func(i int) bool { return !Unsent(&list[i]) && last[list[i].Notifier] != i },
		func(i int) bool { return !Unsent(&list[i]) },
		func(i int) bool { return list[i].State == v1beta1.NotificationPending },
	} {
		for i := range before {
			if leave(i) {
				return i
			}
		}
	}
	return 0
}

// Settled says whether a NodeProfile that is being deleted may go, as far as its notifications matter: all of them are
// sent or given up, or GivenUpAfter is over since it was to be deleted. If not, again is when it may go at the latest.
func Settled(nodeProfile *v1beta1.NodeProfile, now time.Time) (settled bool, again time.Time) {
	unsent := func(n v1beta1.NotificationStatus) bool { return Unsent(&n) }
	if !slices.ContainsFunc(nodeProfile.Status.Notifications, unsent) || nodeProfile.DeletionTimestamp == nil {
		return true, time.Time{}
	}
	again = nodeProfile.DeletionTimestamp.Add(GivenUpAfter)
	return !now.Before(again), again
}
