// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance"
)

// fullTriggers are one of each kind.
func fullTriggers() []maintenance.ProfileTrigger {
	return []maintenance.ProfileTrigger{
		{
			Name: "mark", TimeoutSeconds: ptr.To[int64](60), OnFailure: maintenance.FailureAbort,
			PatchNode: &maintenance.PatchNodeTrigger{
				Labels: map[string]string{"example.com/a": "1"}, Annotations: map[string]string{"example.com/b": "2"},
				RemoveLabels: []string{"example.com/c"}, RemoveAnnotations: []string{"example.com/d"},
				AddFinalizers: []string{"example.com/e"}, RemoveFinalizers: []string{"example.com/f"},
			},
		},
		{Name: "hold", Hold: &maintenance.HoldTrigger{Stage: maintenance.StageDrain, Drain: ptr.To(fullDrain()), Wait: ptr.To(false)}},
		{Name: "release", Release: &maintenance.ReleaseTrigger{Wait: ptr.To(true)}},
		{Name: "job", Job: &maintenance.JobTrigger{Namespace: "jobs", CronJob: "reboot"}},
		{Name: "hook", Webhook: &maintenance.WebhookTrigger{Endpoint: "hooks"}},
		{Name: "patch", PatchObject: &maintenance.PatchObjectTrigger{
			APIVersion: "example.com/v1", Resource: "machines", Namespace: "machines", NameExpression: "node.metadata.name",
			PatchExpression: `{"spec": {"paused": true}}`,
		}},
		{Name: "reboot", Reboot: &maintenance.RebootTrigger{Job: &maintenance.JobTrigger{Namespace: "jobs", CronJob: "reboot"}}},
	}
}

// fullNotifiers are one of each kind, with each schedule.
func fullNotifiers() []maintenance.ProfileNotifier {
	return []maintenance.ProfileNotifier{
		{
			Name: "chat", Dedupe: maintenance.DedupeNode, Delivery: maintenance.DeliveryAtMostOnce,
			Slack: &maintenance.SlackNotifier{Endpoint: "slack", Channel: "#ops", Message: "{{.Node.Name}}"},
		},
		{
			Name: "thread", Schedule: &maintenance.NotifierSchedule{Periodic: &maintenance.PeriodicSchedule{Seconds: ptr.To[int64](86400)}},
			SlackThread: &maintenance.SlackThreadNotifier{
				Endpoint: "slack", Channel: "#ops", Title: "Maintenance", Message: "{{.Node.Name}}", PeriodSeconds: 43200,
			},
		},
		{
			Name: "mail", Schedule: &maintenance.NotifierSchedule{Scheduled: &maintenance.ScheduledSchedule{
				At: "08:00", Weekdays: []maintenance.Weekday{maintenance.Monday}, TimeZone: "Europe/Berlin",
			}},
			Mail: &maintenance.MailNotifier{
				Endpoint: "mail", From: "a@example.com", To: []string{"b@example.com"}, Subject: "Maintenance", Message: "{{.Node.Name}}",
			},
		},
		{
			Name: "hook", Schedule: &maintenance.NotifierSchedule{Oneshot: &maintenance.OneshotSchedule{DelaySeconds: ptr.To[int64](60)}},
			Webhook: &maintenance.WebhookNotifier{Endpoint: "hooks"},
		},
	}
}
