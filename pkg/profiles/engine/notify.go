// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/due"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/expression"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/machine"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/message"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/outbox"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/schedule"
)

// Notify adds the notifications that are due now to the status of the NodeProfile. It says when to ask again; zero: after
// a change. Nobody is told that a profile has come to a node.
func Notify(about Telling) (again time.Time) {
	status := &about.NodeProfile.Status
	state := machine.StateSpec(about.Profile, status.State)
	if state == nil {
		return time.Time{}
	}
	for i := range about.Profile.Spec.Notifiers {
		notifier := &about.Profile.Spec.Notifiers[i]
		if !slices.Contains(state.Notify, notifier.Name) || untold(notifier, status) {
			continue
		}
		verdict, err := schedule.Due(about.Now, notifier, status, about.Siblings...)
		if err != nil {
			continue // a newer version has stored it
		}
		if verdict.Occasion != "" {
			made := outbox.New(about.NodeProfile, notifier, verdict.Occasion, textsOf(about, notifier, verdict.Occasion), about.Now)
			status.Notifications = outbox.Add(status.Notifications, made)
		}
		again = due.Earlier(again, verdict.Again)
	}
	return again
}

// untold says whether a notifier tells nobody of the state, since the profile has come to the node in it. A state that was
// adopted has no state before, either: a periodic notifier reminds of one that waits, and never of Operational.
func untold(notifier *v1beta1.ProfileNotifier, status *v1beta1.NodeProfileStatus) bool {
	if status.Previous != "" {
		return false
	}
	schedule := notifier.Schedule
	return schedule == nil || schedule.Periodic != nil && status.State == v1beta1.ProfileOperational
}

// textsOf makes the texts of a notification. A template that fails with this node says so in its text.
func textsOf(about Telling, notifier *v1beta1.ProfileNotifier, occasion string) v1beta1.NotificationTexts {
	if notifier.Webhook != nil {
		return v1beta1.NotificationTexts{Message: webhookText(about, notifier.Name, occasion)}
	}
	titleFormat, messageFormat := message.Slack, message.Slack
	if notifier.Mail != nil {
		titleFormat, messageFormat = message.Line, message.Plain
	}
	title, body := outbox.Templates(notifier)
	data := dataOf(about)
	return v1beta1.NotificationTexts{Title: rendered(title, titleFormat, data), Message: rendered(body, messageFormat, data)}
}

func rendered(source string, format message.Format, data message.Data) string {
	if source == "" {
		return ""
	}
	template, err := message.Parse(source, format)
	if err != nil {
		return err.Error()
	}
	made, _ := template.Render(data) // what is missing is said in the text
	return made
}

func dataOf(about Telling) message.Data {
	status := &about.NodeProfile.Status
	data := message.Data{
		Profile: about.Profile.AliasOrName(), LastProfile: cmp.Or(about.LastProfile, about.Profile.AliasOrName()), State: status.State, Previous: status.Previous, Checks: status.Checks,
		InMaintenance:  inMaintenance(about),
		LastTransition: sinceOf(status), LogDetails: logDetails(about.Node),
	}
	data.Node, _ = expression.NodeValue(about.Node)
	return data
}

// inMaintenance says whether any profile of the node is.
func inMaintenance(about Telling) bool {
	return slices.ContainsFunc(append([]*v1beta1.NodeProfile{about.NodeProfile}, about.Siblings...), func(n *v1beta1.NodeProfile) bool {
		return n.Status.State == v1beta1.ProfileInMaintenance
	})
}

// logDetailsLabel marks nodes for detailed logs, in the SAP maintenance-controller, whose templates may ask for it.
const logDetailsLabel = "cloud.sap/maintenance-log-details"

func logDetails(node *corev1.Node) bool { return node != nil && node.Labels[logDetailsLabel] == "true" }

func webhookText(about Telling, notifier, occasion string) string {
	status := &about.NodeProfile.Status
	data, err := message.Webhook{
		Node: about.NodeProfile.Spec.NodeName, Profile: about.Profile.Name, State: status.State, Previous: status.Previous,
		Since: sinceOf(status), Notifier: notifier, Occasion: occasion,
	}.JSON()
	if err != nil {
		return "{}"
	}
	return data
}

func sinceOf(status *v1beta1.NodeProfileStatus) time.Time {
	if status.Since == nil {
		return time.Time{}
	}
	return status.Since.Time
}
