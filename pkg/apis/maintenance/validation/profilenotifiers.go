// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"net/mail"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

const (
	// maxChannelBytes is more than names of channels may have: 80 characters.
	maxChannelBytes = 256
	// maxAddressBytes is how long an address is with the name of whoever has it. The address itself has 254 at most.
	maxAddressBytes = 512
)

var (
	dedupes    = []v1beta1.NotifierDedupe{v1beta1.DedupeProfile, v1beta1.DedupeNode}
	deliveries = []v1beta1.NotifierDelivery{v1beta1.DeliveryAtLeastOnce, v1beta1.DeliveryAtMostOnce}
)

func validateNotifiers(notifiers []v1beta1.ProfileNotifier, path *field.Path) field.ErrorList {
	names := instanceNames{}
	return validateEach(notifiers, v1beta1.MaxProfileNotifiers, path, func(notifier *v1beta1.ProfileNotifier, path *field.Path) field.ErrorList {
		allErrs := names.validate(notifier.Name, "what states call the notifier", path.Child("name"))
		allErrs = append(allErrs, validateUnion([]member{
			memberOf("slack", notifier.Slack, validateSlack),
			memberOf("slackThread", notifier.SlackThread, validateSlackThread),
			memberOf("mail", notifier.Mail, validateMail),
			memberOf("webhook", notifier.Webhook, func(webhook *v1beta1.WebhookNotifier, path *field.Path) field.ErrorList {
				return validateEndpointName(webhook.Endpoint, "webhook", path.Child("endpoint"))
			}),
		}, path)...)
		allErrs = append(allErrs, validateNotifierSchedule(notifier.Schedule, path.Child("schedule"))...)
		allErrs = append(allErrs, validateOptionalEnum(notifier.Dedupe, dedupes, path.Child("dedupe"))...)
		return append(allErrs, validateOptionalEnum(notifier.Delivery, deliveries, path.Child("delivery"))...)
	})
}

func validateSlack(slack *v1beta1.SlackNotifier, path *field.Path) field.ErrorList {
	allErrs := validateEndpointName(slack.Endpoint, "slack", path.Child("endpoint"))
	allErrs = append(allErrs, validateChannel(slack.Channel, path.Child("channel"))...)
	return append(allErrs, validateTemplate(slack.Message, path.Child("message"))...)
}

func validateSlackThread(thread *v1beta1.SlackThreadNotifier, path *field.Path) field.ErrorList {
	allErrs := validateEndpointName(thread.Endpoint, "slack", path.Child("endpoint"))
	allErrs = append(allErrs, validateChannel(thread.Channel, path.Child("channel"))...)
	allErrs = append(allErrs, validateTemplate(thread.Title, path.Child("title"))...)
	allErrs = append(allErrs, validateTemplate(thread.Message, path.Child("message"))...)
	return append(allErrs, validateRange(thread.PeriodSeconds, minuteSeconds, yearSeconds, path.Child("periodSeconds"))...)
}

func validateChannel(channel string, path *field.Path) field.ErrorList {
	switch {
	case channel == "":
		return field.ErrorList{field.Required(path, "must be a channel of Slack, such as #maintenance, or its ID")}
	case len(channel) > maxChannelBytes:
		return field.ErrorList{field.TooLong(path, "", maxChannelBytes)}
	case strings.ContainsAny(channel, " \t\r\n"):
		return field.ErrorList{field.Invalid(path, quoted(channel), "must not have spaces or line breaks")}
	}
	return nil
}

func validateMail(notifier *v1beta1.MailNotifier, path *field.Path) field.ErrorList {
	allErrs := validateEndpointName(notifier.Endpoint, "smtp", path.Child("endpoint"))
	allErrs = append(allErrs, validateAddress(notifier.From, path.Child("from"))...)
	switch count := len(notifier.To); {
	case count == 0:
		allErrs = append(allErrs, field.Required(path.Child("to"), "must have an address at least"))
	case count > v1beta1.MaxMailRecipients:
		allErrs = append(allErrs, field.TooMany(path.Child("to"), count, v1beta1.MaxMailRecipients))
	default:
		allErrs = append(allErrs, validateSet(notifier.To, path.Child("to"), validateAddress)...)
	}
	allErrs = append(allErrs, validateTemplate(notifier.Subject, path.Child("subject"))...)
	return append(allErrs, validateTemplate(notifier.Message, path.Child("message"))...)
}

func validateAddress(address string, path *field.Path) field.ErrorList {
	const want = `must be the address of a mailbox, such as ops@example.com or "Maintenance <noreply@example.com>"`
	if address == "" {
		return field.ErrorList{field.Required(path, want)}
	}
	if len(address) > maxAddressBytes {
		return field.ErrorList{field.TooLong(path, "", maxAddressBytes)}
	}
	if _, err := mail.ParseAddress(address); err != nil {
		return field.ErrorList{field.Invalid(path, address, want)}
	}
	return nil
}

func validateNotifierSchedule(schedule *v1beta1.NotifierSchedule, path *field.Path) field.ErrorList {
	if schedule == nil {
		return nil
	}
	return validateUnion([]member{
		memberOf("periodic", schedule.Periodic, func(periodic *v1beta1.PeriodicSchedule, path *field.Path) field.ErrorList {
			return validateOptional(periodic.Seconds, minuteSeconds, yearSeconds, path.Child("seconds"))
		}),
		memberOf("scheduled", schedule.Scheduled, validateScheduled),
		memberOf("oneshot", schedule.Oneshot, func(oneshot *v1beta1.OneshotSchedule, path *field.Path) field.ErrorList {
			return validateOptional(oneshot.DelaySeconds, 0, yearSeconds, path.Child("delaySeconds"))
		}),
	}, path)
}
