// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	oneshot  = "\nschedule: {type: oneshot, config: {}}"
	slackOne = "type: slack\nconfig: {hook: \"https://hooks.example.com/T/B\", channel: \"#ops\", message: hello}"
)

func TestNotifiers(t *testing.T) {
	for name, test := range map[string]struct {
		config, want, wantTold string
		// wantEndpoint is the spec of the endpoint, and wantSecret what its Secret has.
		wantEndpoint string
		wantSecret   map[string]string
	}{
		"slack, oneshot": {
			config:       slackOne + oneshot,
			want:         "{slack: {endpoint: slack-n, channel: \"#ops\", message: hello}, dedupe: Node, schedule: {oneshot: {}}}",
			wantEndpoint: "{slack: {}, secretRef: {name: slack-n}}",
			wantSecret:   map[string]string{"url": "https://hooks.example.com/T/B"},
		},
		"slack, oneshot at once": {
			config:       slackOne + "\nschedule: {type: Oneshot, config: {delay: 0s}}",
			want:         "{slack: {endpoint: slack-n, channel: \"#ops\", message: hello}, dedupe: Node, schedule: {oneshot: {delaySeconds: 0}}}",
			wantEndpoint: "{slack: {}, secretRef: {name: slack-n}}",
			wantSecret:   map[string]string{"url": "https://hooks.example.com/T/B"},
		},
		"slack, periodic": {
			config:       slackOne + "\nschedule: {type: periodic, config: {interval: 24h}}",
			want:         "{slack: {endpoint: slack-n, channel: \"#ops\", message: hello}, dedupe: Node, schedule: {periodic: {seconds: 86400}}}",
			wantEndpoint: "{slack: {}, secretRef: {name: slack-n}}",
			wantSecret:   map[string]string{"url": "https://hooks.example.com/T/B"},
		},
		"slack, periodic each second": {
			config:       slackOne + "\nschedule: {type: periodic, config: {interval: 1s}}",
			want:         "{slack: {endpoint: slack-n, channel: \"#ops\", message: hello}, dedupe: Node, schedule: {periodic: {seconds: 60}}}",
			wantEndpoint: "{slack: {}, secretRef: {name: slack-n}}",
			wantSecret:   map[string]string{"url": "https://hooks.example.com/T/B"},
			wantTold:     "6 instances.notify[n].schedule.config.interval changed: 60 seconds are the least",
		},
		"slack, scheduled": {
			config:       slackOne + "\nschedule: {type: scheduled, config: {instant: \"08:00\", weekdays: [mon, fri]}}",
			want:         "{slack: {endpoint: slack-n, channel: \"#ops\", message: hello}, dedupe: Node, schedule: {scheduled: {at: \"08:00\", weekdays: [Mon, Fri]}}}",
			wantTold:     "6 instances.notify[n].schedule.config.instant changed: a state that is entered later on such a day is told of on the next one; the controller sends at once",
			wantEndpoint: "{slack: {}, secretRef: {name: slack-n}}",
			wantSecret:   map[string]string{"url": "https://hooks.example.com/T/B"},
		},
		"slackThread": {
			config: "type: slackThread\nconfig: {token: \"${TOKEN}\", channel: C1, title: \"{{ .Profile }}\", message: \"{{ .Node.Name }}\", " +
				"leaseName: l, leaseNamespace: kube-system, period: 12h}" + oneshot,
			want: "{slackThread: {endpoint: slack-n, channel: C1, title: \"{{ .Profile }}\", message: \"{{.Node.metadata.name}}\", periodSeconds: 43200}, " +
				"dedupe: Node, schedule: {oneshot: {}}}",
			wantEndpoint: "{slack: {}, secretRef: {name: slack-n}}",
			wantSecret:   map[string]string{"token": "xoxb-1"},
			wantTold: "5 instances.notify[n].config.leaseName changed: the thread is in the status of the endpoint, and the Lease can be deleted once the controller is gone\n" +
				"5 instances.notify[n].config.message changed: as the template \"{{.Node.metadata.name}}\"",
		},
		"mail": {
			config: "type: mail\nconfig: {auth: true, address: \"mail.example.com:587\", from: a@example.com, to: [b@example.com, c@example.com], " +
				"subject: \"a {{ b\", message: text, user: me, password: \"${NUMBER}\", identity: me}" + oneshot,
			want: "{mail: {endpoint: mail-n, from: a@example.com, to: [b@example.com, c@example.com], subject: 'a {{ \"{{\" }} b', message: text}, " +
				"dedupe: Node, schedule: {oneshot: {}}}",
			wantEndpoint: "{smtp: {address: \"mail.example.com:587\", tls: StartTLS, auth: Plain}, secretRef: {name: mail-n}}",
			wantSecret:   map[string]string{"username": "me", "password": "007"},
			wantTold: "5 instances.notify[n].config.password changed: kept as written; the controller reads it as a number, and so writes it otherwise, such as 7 for 007\n" +
				"5 instances.notify[n].config.subject changed: braces are escaped: it is a template here, and was none",
		},
		"mail without login": {
			config:       "type: mail\nconfig: {auth: false, address: \"mail.example.com:25\", from: a@example.com, to: b@example.com, subject: s, message: m, user: me}" + oneshot,
			want:         "{mail: {endpoint: mail-n, from: a@example.com, to: [b@example.com], subject: s, message: m}, dedupe: Node, schedule: {oneshot: {}}}",
			wantEndpoint: "{smtp: {address: \"mail.example.com:25\", tls: StartTLS, auth: None}}",
			wantTold: "5 instances.notify[n].config.address changed: the server must offer STARTTLS, which the controller uses only if it does; for one that does not, set tls: None in the endpoint\n" +
				"5 instances.notify[n].config.user dropped: auth is false, so that nobody logs in",
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := translated(t, withNotifier(test.config))
			if diff := cmp.Diff(test.wantTold, told(&result.Report)); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			if len(result.Profiles) != 1 || len(result.Profiles[0].Spec.Notifiers) != 1 || len(result.Endpoints) != 1 {
				t.Fatalf("got %s, want a profile with a notifier, and an endpoint", asYAML(t, result.Objects()))
			}
			wantSame(t, test.want, result.Profiles[0].Spec.Notifiers[0])
			wantSame(t, test.wantEndpoint, result.Endpoints[0].Spec)
			var secret map[string]string
			if len(result.Secrets) == 1 {
				secret = result.Secrets[0].StringData
			}
			if diff := cmp.Diff(test.wantSecret, secret); diff != "" {
				t.Errorf("Secret (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrongNotifiers(t *testing.T) {
	for name, test := range map[string]struct{ config, want string }{
		"no schedule":             {slackOne, "schedule CANNOT BE MAPPED: must be set"},
		"schedule without config": {slackOne + "\nschedule: {type: oneshot}", "schedule.config CANNOT BE MAPPED: must be set, if only to {}"},
		"unknown schedule":        {slackOne + "\nschedule: {type: hourly, config: {}}", "schedule.type CANNOT BE MAPPED: must be periodic, scheduled or oneshot"},
		"hook that is no URL":     {"type: slack\nconfig: {hook: secret-text, channel: a, message: m}" + oneshot, "config.hook CANNOT BE MAPPED: must be a URL"},
		"another identity": {
			"type: mail\nconfig: {auth: true, address: \"m.example.com:25\", from: a@example.com, to: [b@example.com], subject: s, message: m, user: u, password: p, identity: i}" + oneshot,
			"config.identity CANNOT BE MAPPED: must be left out or be the user",
		},
		"login without password": {
			"type: mail\nconfig: {auth: true, address: \"m.example.com:25\", from: a@example.com, to: [b@example.com], subject: s, message: m}" + oneshot,
			"config.auth CANNOT BE MAPPED: needs user and password",
		},
		"no address": {
			"type: mail\nconfig: {auth: false, address: \"m.example.com:25\", from: nobody, to: [b@example.com], subject: s, message: m}" + oneshot,
			"config.from CANNOT BE MAPPED: must be the address of a mailbox",
		},
		"power over the cluster": {"type: slack\nconfig: {hook: \"https://h.example.com\", channel: a, message: \"{{ .Client }}\"}" + oneshot, "config.message CANNOT BE MAPPED: .Client is not there"},
	} {
		t.Run(name, func(t *testing.T) {
			result := translated(t, withNotifier(test.config))
			if got := told(&result.Report); !strings.Contains(got, test.want) || strings.Contains(got, "secret-text") {
				t.Errorf("report:\n%s\nwant it to have: %s", got, test.want)
			}
			if len(result.Profiles)+len(result.Endpoints)+len(result.Secrets) > 0 {
				t.Errorf("got %s, want nothing of it", asYAML(t, result.Objects()))
			}
		})
	}
}

func TestThreadsOfOneLease(t *testing.T) {
	const thread = "type: slackThread, config: {token: t, channel: C1, title: t, message: m, leaseName: l, leaseNamespace: n, period: 1h}, schedule: {type: oneshot, config: {}}"
	result := translated(t, "instances:\n  notify:\n  - {name: a, "+thread+"}\n  - {name: b, "+thread+"}\nprofiles:\n- name: p\n  operational:\n    notify: a && b\n")
	if got, want := told(&result.Report), "a has the same Lease and so the same thread; here, each notifier has a thread of its own"; !strings.Contains(got, want) {
		t.Errorf("report:\n%s\nwant it to have: %s", got, want)
	}
	if len(result.Endpoints) != 1 {
		t.Errorf("%d endpoints, want one for the same token", len(result.Endpoints))
	}
}
