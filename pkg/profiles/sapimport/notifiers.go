// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"fmt"
	"net/mail"
	"strings"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// notifierKinds are the 3 types of notifiers.
var notifierKinds = map[string]kind[v1beta1.ProfileNotifier]{
	"slack":       notifier(slack),
	"slackThread": notifier(slackThread),
	"mail":        notifier(sendMail),
}

// notifier is the kind of notifier that a function fills in. The controller sends a notifier once for all profiles of a
// node.
func notifier(fill func(*plugin, *v1beta1.ProfileNotifier)) kind[v1beta1.ProfileNotifier] {
	return kind[v1beta1.ProfileNotifier]{translate: func(p *plugin) v1beta1.ProfileNotifier {
		made := v1beta1.ProfileNotifier{Name: p.name, Dedupe: v1beta1.DedupeNode, Schedule: p.schedule()}
		fill(p, &made)
		return made
	}}
}

func slack(p *plugin, made *v1beta1.ProfileNotifier) {
	made.Slack = &v1beta1.SlackNotifier{
		Endpoint: p.hookEndpoint(), Channel: p.channel(), Message: p.template("message"),
	}
}

func slackThread(p *plugin, made *v1beta1.ProfileNotifier) {
	made.SlackThread = &v1beta1.SlackThreadNotifier{
		Endpoint: p.tokenEndpoint(), Channel: p.channel(), Title: p.template("title"), Message: p.template("message"),
		PeriodSeconds: p.atLeast("period", required),
	}
	lease := p.config.text("leaseNamespace", required) + "/" + p.config.text("leaseName", required)
	p.config.say("leaseName", Changed, "the thread is in the status of the endpoint, and the Lease can be deleted once the controller is gone")
	if other, shared := p.threads[lease]; shared {
		p.config.say("leaseName", Changed, fmt.Sprintf("%s has the same Lease and so the same thread; here, each notifier has a thread of its own", other))
	}
	p.threads[lease] = p.name
}

// minuteSeconds is the shortest time between two notifications, and the shortest time of a thread.
const minuteSeconds = 60

// atLeast returns seconds of a minute at least.
func (p *plugin) atLeast(key string, n need) int64 { return p.config.minute(key, n) }

func (b *block) minute(key string, n need) int64 {
	seconds := b.seconds(key, n, yearSeconds)
	if seconds > 0 && seconds < minuteSeconds {
		b.say(key, Changed, "60 seconds are the least")
		return minuteSeconds
	}
	return seconds
}

func (p *plugin) channel() string {
	channel := p.config.text("channel", required)
	if strings.ContainsAny(channel, " \t\r\n") {
		p.config.say("channel", Unmapped, "must not have spaces or line breaks")
	}
	return channel
}

func sendMail(p *plugin, made *v1beta1.ProfileNotifier) {
	made.Mail = &v1beta1.MailNotifier{
		Endpoint: p.mailEndpoint(), From: p.address("from", p.config.text("from", required)),
		Subject: p.literal("subject"), Message: p.template("message"),
	}
	for _, to := range p.config.texts("to", required) {
		made.Mail.To = append(made.Mail.To, p.address("to", to))
	}
	if len(made.Mail.To) > v1beta1.MaxMailRecipients {
		p.config.say("to", Unmapped, fmt.Sprintf("at most %d are possible: use a mailing list", v1beta1.MaxMailRecipients))
	}
}

func (p *plugin) address(key, address string) string {
	if _, err := mail.ParseAddress(address); err != nil && address != "" {
		p.config.say(key, Unmapped, "must be the address of a mailbox, such as ops@example.com")
	}
	return address
}

// literal returns a text that is a template here, but was none.
func (p *plugin) literal(key string) string {
	text := p.config.text(key, required)
	if !strings.Contains(text, "{{") {
		return text
	}
	p.config.say(key, Changed, "braces are escaped: it is a template here, and was none")
	return strings.ReplaceAll(text, "{{", `{{ "{{" }}`)
}
