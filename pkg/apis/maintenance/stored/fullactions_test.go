// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fullTriggers are one of each kind.
func fullTriggers() []v1beta1.ProfileTrigger {
	return []v1beta1.ProfileTrigger{
		{
			Name: "mark", TimeoutSeconds: ptr.To[int64](60), OnFailure: v1beta1.FailureAbort,
			PatchNode: &v1beta1.PatchNodeTrigger{
				Labels: map[string]string{"example.com/a": "1"}, Annotations: map[string]string{"example.com/b": "2"},
				RemoveLabels: []string{"example.com/c"}, RemoveAnnotations: []string{"example.com/d"},
				AddFinalizers: []string{"example.com/e"}, RemoveFinalizers: []string{"example.com/f"},
			},
		},
		{Name: "hold", Hold: &v1beta1.HoldTrigger{Stage: v1beta1.StageDrain, Drain: ptr.To(fullDrain()), Wait: ptr.To(false)}},
		{Name: "release", Release: &v1beta1.ReleaseTrigger{Wait: ptr.To(true)}},
		{Name: "job", Job: &v1beta1.JobTrigger{Namespace: "jobs", CronJob: "reboot"}},
		{Name: "hook", Webhook: &v1beta1.WebhookTrigger{Endpoint: "hooks"}},
		{Name: "patch", PatchObject: &v1beta1.PatchObjectTrigger{
			APIVersion: "example.com/v1", Resource: "machines", Namespace: "machines", NameExpression: "node.metadata.name",
			PatchExpression: `{"spec": {"paused": true}}`,
		}},
		{Name: "reboot", Reboot: &v1beta1.RebootTrigger{Job: &v1beta1.JobTrigger{Namespace: "jobs", CronJob: "reboot"}}},
	}
}

// fullNotifiers are one of each kind, with each schedule.
func fullNotifiers() []v1beta1.ProfileNotifier {
	return []v1beta1.ProfileNotifier{
		{
			Name: "chat", Dedupe: v1beta1.DedupeNode, Delivery: v1beta1.DeliveryAtMostOnce,
			Slack: &v1beta1.SlackNotifier{Endpoint: "slack", Channel: "#ops", Message: "{{.Node.Name}}"},
		},
		{
			Name: "thread", Schedule: &v1beta1.NotifierSchedule{Periodic: &v1beta1.PeriodicSchedule{Seconds: ptr.To[int64](86400)}},
			SlackThread: &v1beta1.SlackThreadNotifier{
				Endpoint: "slack", Channel: "#ops", Title: "Maintenance", Message: "{{.Node.Name}}", PeriodSeconds: 43200,
			},
		},
		{
			Name: "mail", Schedule: &v1beta1.NotifierSchedule{Scheduled: &v1beta1.ScheduledSchedule{
				At: "08:00", Weekdays: []v1beta1.Weekday{v1beta1.Monday}, TimeZone: "Europe/Berlin",
			}},
			Mail: &v1beta1.MailNotifier{
				Endpoint: "mail", From: "a@example.com", To: []string{"b@example.com"}, Subject: "Maintenance", Message: "{{.Node.Name}}",
			},
		},
		{
			Name: "hook", Schedule: &v1beta1.NotifierSchedule{Oneshot: &v1beta1.OneshotSchedule{DelaySeconds: ptr.To[int64](60)}},
			Webhook: &v1beta1.WebhookNotifier{Endpoint: "hooks"},
		},
	}
}
