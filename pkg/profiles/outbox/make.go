// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// Templates returns the templates of a notifier: that of the title or subject, and that of the message. Both are empty
// for a webhook, whose data has no template.
func Templates(notifier *v1beta1.ProfileNotifier) (title, message string) {
	switch {
	case notifier.Slack != nil:
		return "", notifier.Slack.Message
	case notifier.SlackThread != nil:
		return notifier.SlackThread.Title, notifier.SlackThread.Message
	case notifier.Mail != nil:
		return notifier.Mail.Subject, notifier.Mail.Message
	default:
		return "", ""
	}
}

// New returns a notification that is to be sent, with the texts that the templates have made, or the data of a webhook.
// The engine adds it with Add, in the same write as the state that it tells of.
func New(
	nodeProfile *v1beta1.NodeProfile, notifier *v1beta1.ProfileNotifier, occasion string,
	texts v1beta1.NotificationTexts, now time.Time,
) v1beta1.NotificationStatus {
	return v1beta1.NotificationStatus{
		ID:       string(nodeProfile.UID) + "/" + notifier.Name + "/" + occasion,
		Notifier: notifier.Name, Occasion: occasion, Sequence: nodeProfile.Status.Sequence,
		State: v1beta1.NotificationPending, Target: target(notifier), Texts: &texts, Time: metav1.NewTime(now),
	}
}

// target is what a notifier says of where it sends.
func target(notifier *v1beta1.ProfileNotifier) v1beta1.NotificationTarget {
	t := v1beta1.NotificationTarget{Delivery: cmp.Or(notifier.Delivery, v1beta1.DeliveryAtLeastOnce)}
	switch {
	case notifier.Slack != nil:
		t.Kind, t.Endpoint, t.Channel = v1beta1.NotifierSlack, notifier.Slack.Endpoint, notifier.Slack.Channel
	case notifier.SlackThread != nil:
		s := notifier.SlackThread
		t.Kind, t.Endpoint, t.Channel, t.PeriodSeconds = v1beta1.NotifierSlackThread, s.Endpoint, s.Channel, s.PeriodSeconds
	case notifier.Mail != nil:
		m := notifier.Mail
		t.Kind, t.Endpoint, t.From, t.To = v1beta1.NotifierMail, m.Endpoint, m.From, m.To
	case notifier.Webhook != nil:
		t.Kind, t.Endpoint = v1beta1.NotifierWebhook, notifier.Webhook.Endpoint
	}
	return t
}
