// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"time"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// question is what Due is asked.
type question struct {
	now      time.Time
	notifier *v1beta1.ProfileNotifier
	status   *v1beta1.NodeProfileStatus
	siblings []*v1beta1.NodeProfile
}

// latest is the last notification that counts for the state: one of this sequence, or with dedupe Node one that another
// profile of the node has made since the state was entered. Nil if there is none. Moments are stored in whole seconds,
// so one of the same second counts too: two profiles that enter a state together send once.
func (q question) latest() *v1beta1.NotificationStatus {
	var latest *v1beta1.NotificationStatus
	q.each(func(n *v1beta1.NotificationStatus, own bool) {
		counts := own && n.Sequence == q.status.Sequence || !own && !n.Time.Before(q.status.Since)
		if counts && (latest == nil || !n.Time.Before(&latest.Time)) {
			latest = n
		}
	})
	return latest
}

// madeFor says whether a notification was made for a day: it has this occasion, or was made after that moment.
func (q question) madeFor(occasion string, moment time.Time) bool {
	made := false
	q.each(func(n *v1beta1.NotificationStatus, _ bool) {
		made = made || n.Occasion == occasion || !n.Time.Time.Before(moment)
	})
	return made
}

// each calls back with the notifications of the notifier: the own ones, and with dedupe Node those of the siblings.
func (q question) each(tell func(n *v1beta1.NotificationStatus, own bool)) {
	for i := range q.status.Notifications {
		q.tellOf(&q.status.Notifications[i], true, tell)
	}
	if q.notifier.Dedupe != v1beta1.DedupeNode {
		return
	}
	for _, sibling := range q.siblings {
		for i := range sibling.Status.Notifications {
			q.tellOf(&sibling.Status.Notifications[i], false, tell)
		}
	}
}

func (q question) tellOf(n *v1beta1.NotificationStatus, own bool, tell func(*v1beta1.NotificationStatus, bool)) {
	if n.Notifier == q.notifier.Name {
		tell(n, own)
	}
}
