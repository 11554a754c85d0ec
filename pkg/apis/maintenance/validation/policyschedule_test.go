// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func TestPolicySchedules(t *testing.T) {
	type schedule = v1beta1.PolicySchedule
	night := func(start, end string) *v1beta1.WeeklyTime {
		return &v1beta1.WeeklyTime{Start: start, End: end}
	}
	tests := map[string]struct {
		change func(*schedule)
		want   []string
	}{
		"the machine's zone": {
			change: func(s *schedule) { s.TimeZone = "Local" },
			want:   []string{`spec.schedule.timeZone: Invalid value: "Local": "Local" may mean another time on each machine: use a name of the IANA database, such as Europe/Berlin or UTC`},
		},
		"unknown zone": {
			change: func(s *schedule) { s.TimeZone = "Europe/Atlantis" },
			want:   []string{`spec.schedule.timeZone: Invalid value: "Europe/Atlantis": "Europe/Atlantis" is not known: use a name of the IANA database, such as Europe/Berlin or UTC; capitals matter`},
		},
		"long zone": {
			change: func(s *schedule) { s.TimeZone = strings.Repeat("x", 257) },
			want:   []string{"spec.schedule.timeZone: Too long: may not be more than 256 bytes"},
		},
		"many windows": {
			change: func(s *schedule) { s.Windows = make([]v1beta1.PolicyWindow, 17) },
			want:   []string{"spec.schedule.windows: Too many: 17: must have at most 16 items"},
		},
		"many freezes": {
			change: func(s *schedule) { s.Freezes = make([]v1beta1.PolicyFreeze, 65) },
			want:   []string{"spec.schedule.freezes: Too many: 65: must have at most 64 items"},
		},
		"window without a name": {
			change: func(s *schedule) { s.Windows[0].Name = "" },
			want:   []string{"spec.schedule.windows[0].name: Required value: must tell it from others, in messages"},
		},
		"name no label": {
			change: func(s *schedule) { s.Windows[0].Name = "Night" },
			want: []string{`spec.schedule.windows[0].name: Invalid value: "Night": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ` +
				`and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`},
		},
		"window twice": {
			change: func(s *schedule) { s.Windows[1].Name = "night" },
			want:   []string{`spec.schedule.windows[1].name: Duplicate value: "night"`},
		},
		"freeze twice": {
			change: func(s *schedule) { s.Freezes[1].Name = "sale" },
			want:   []string{`spec.schedule.freezes[1].name: Duplicate value: "sale"`},
		},
		"a freeze named as a window": {change: func(s *schedule) { s.Freezes[1].Name = "night" }},
		"no form": {
			change: func(s *schedule) { s.Windows[0].Weekly = nil },
			want:   []string{"spec.schedule.windows[0]: Required value: must say when it is: weekly; cron with durationSeconds; or from with until"},
		},
		"no form of a freeze": {
			change: func(s *schedule) { s.Freezes[0].Dates = nil },
			want:   []string{"spec.schedule.freezes[0]: Required value: must say when it is: weekly; cron with durationSeconds; from with until; dates; or yearly"},
		},
		"two forms": {
			change: func(s *schedule) { s.Windows[0].Cron = "0 0 * * *" },
			want:   []string{`spec.schedule.windows[0]: Invalid value: "weekly, cron": must have exactly one of: weekly; cron with durationSeconds; or from with until`},
		},
		"two forms of a freeze": {
			change: func(s *schedule) { s.Freezes[0].Until = at("2026-12-05T20:00:00Z") },
			want:   []string{`spec.schedule.freezes[0]: Invalid value: "from, dates": must have exactly one of: weekly; cron with durationSeconds; from with until; dates; or yearly`},
		},
		"bad weekly": {
			change: func(s *schedule) {
				s.Windows[0].Weekly = &v1beta1.WeeklyTime{Days: []v1beta1.Weekday{"Mon", "Monday", "Mon"}, Start: "24:00"}
			},
			want: []string{
				`spec.schedule.windows[0].weekly.days[1]: Unsupported value: "Monday": supported values: "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"`,
				`spec.schedule.windows[0].weekly.days[2]: Duplicate value: "Mon"`,
				`spec.schedule.windows[0].weekly.start: Invalid value: "24:00": "24:00" is not a time of day: use HH:MM, from 00:00 to 23:59`,
				`spec.schedule.windows[0].weekly.end: Required value`,
			},
		},
		"bad cron": {
			change: func(s *schedule) { s.Windows[1].Cron = "@daily" },
			want:   []string{`spec.schedule.windows[1].cron: Invalid value: "@daily": "@daily" is not one of five fields: write such times out, as 0 0 * * * for each midnight`},
		},
		"cron with a zone": {
			change: func(s *schedule) { s.Windows[1].Cron = "TZ=UTC 0 0 * * *" },
			want:   []string{`spec.schedule.windows[1].cron: Invalid value: "TZ=UTC 0 0 * * *": must not have a time zone: set the schedule's timeZone`},
		},
		"duration without cron": {
			change: func(s *schedule) { s.Windows[1].Cron = "" },
			want:   []string{"spec.schedule.windows[1].cron: Required value"},
		},
		"cron without a duration": {
			change: func(s *schedule) { s.Windows[1].DurationSeconds = nil },
			want:   []string{"spec.schedule.windows[1].durationSeconds: Required value: must be set with cron"},
		},
		"short cron": {
			change: func(s *schedule) { s.Windows[1].DurationSeconds = ptr.To[int64](299) },
			want:   []string{"spec.schedule.windows[1].durationSeconds: Invalid value: 299: must be between 300 and 604800, inclusive"},
		},
		"no beginning": {
			change: func(s *schedule) { s.Windows[2].From = nil },
			want:   []string{"spec.schedule.windows[2].from: Required value: must be set with until"},
		},
		"no end": {
			change: func(s *schedule) { s.Windows[2].Until = nil },
			want:   []string{"spec.schedule.windows[2].until: Required value: must be set with from"},
		},
		"ends when it begins": {
			change: func(s *schedule) { s.Windows[2].Until = s.Windows[2].From },
			want:   []string{`spec.schedule.windows[2].until: Invalid value: "2026-12-05T20:00:00Z": must be after from`},
		},
		"a time that cannot be stored": {
			change: func(s *schedule) { s.Windows[2].Until = at("9999-12-31T23:59:59-14:00") },
			want:   []string{`spec.schedule.windows[2].until: Invalid value: "10000-01-01T13:59:59Z": must be in a year between 1970 and 2200`},
		},
		"no such days": {
			change: func(s *schedule) {
				s.Freezes[0].Dates = &v1beta1.DateRange{From: "2026-02-30", Until: "27.11.2026"}
			},
			want: []string{
				`spec.schedule.freezes[0].dates.from: Invalid value: "2026-02-30": "2026-02-30" is not a day: use YYYY-MM-DD, such as 2026-11-27`,
				`spec.schedule.freezes[0].dates.until: Invalid value: "27.11.2026": "27.11.2026" is not a day: use YYYY-MM-DD, such as 2026-11-27`,
			},
		},
		"days backwards": {
			change: func(s *schedule) { s.Freezes[0].Dates.Until = "2026-11-26" },
			want:   []string{`spec.schedule.freezes[0].dates.until: Invalid value: "2026-11-26": must not be before from`},
		},
		"no such days of the year": {
			change: func(s *schedule) { s.Freezes[1].Yearly = &v1beta1.YearlyRange{From: "02-30"} },
			want: []string{
				`spec.schedule.freezes[1].yearly.from: Invalid value: "02-30": "02-30" is not a day of the year: use MM-DD, such as 12-20`,
				"spec.schedule.freezes[1].yearly.until: Required value",
			},
		},
		"last start after every window": {
			change: func(s *schedule) { s.LastStartSeconds = 28800 },
			want: []string{
				`spec.schedule.lastStartSeconds: Invalid value: 28800: must be less than each window takes: "night" takes 21600 seconds, so nothing could start in it`,
				`spec.schedule.lastStartSeconds: Invalid value: 28800: must be less than each window takes: "friday" takes 28800 seconds, so nothing could start in it`,
				`spec.schedule.lastStartSeconds: Invalid value: 28800: must be less than each window takes: "once" takes 28800 seconds, so nothing could start in it`,
			},
		},
		"last start in a whole day": {
			change: func(s *schedule) {
				s.Windows, s.LastStartSeconds = []v1beta1.PolicyWindow{{Name: "day", Weekly: night("10:00", "10:00")}}, 86399
			},
		},
		"last start of no window": {
			change: func(s *schedule) { s.Windows = nil },
			want:   []string{"spec.schedule.lastStartSeconds: Invalid value: 1800: needs windows: without them, maintenance may start at any time"},
		},
		"last start after the end": {
			change: func(s *schedule) { s.LastStartSeconds = -1 },
			want:   []string{"spec.schedule.lastStartSeconds: Invalid value: -1: must not be negative"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			wantPolicyErrors(t, func(s *v1beta1.MaintenancePolicySpec) { test.change(s.Schedule) }, test.want...)
		})
	}
}

func TestPolicyGates(t *testing.T) {
	type gates = v1beta1.PolicyGates
	query := func(text string) *v1beta1.PrometheusGate { return &v1beta1.PrometheusGate{Query: text} }
	tests := map[string]struct {
		change func(*gates)
		want   []string
	}{
		"many": {
			change: func(g *gates) {
				g.Start, g.Release = make([]v1beta1.PolicyGate, 9), make([]v1beta1.PolicyGate, 9)
			},
			want: []string{
				"spec.gates.start: Too many: 9: must have at most 8 items",
				"spec.gates.release: Too many: 9: must have at most 8 items",
			},
		},
		"of no kind": {
			change: func(g *gates) { g.Start[0] = v1beta1.PolicyGate{} },
			want:   []string{"spec.gates.start[0]: Required value: must be one of: planUnblocked, prometheus, nodeCondition"},
		},
		"of two kinds": {
			change: func(g *gates) { g.Start[0].Prometheus = query("up") },
			want:   []string{`spec.gates.start[0]: Invalid value: "planUnblocked, prometheus": must be exactly one of: planUnblocked, prometheus, nodeCondition`},
		},
		"a plan before the release": {
			change: func(g *gates) { g.Release[1] = v1beta1.PolicyGate{PlanUnblocked: true} },
			want:   []string{"spec.gates.release[1].planUnblocked: Forbidden: is not checked here: use nodeCondition, daemonSetPodsReady, prometheus"},
		},
		"pods before the start": {
			change: func(g *gates) { g.Start[0] = v1beta1.PolicyGate{DaemonSetPodsReady: true} },
			want:   []string{"spec.gates.start[0].daemonSetPodsReady: Forbidden: is not checked here: use planUnblocked, prometheus, nodeCondition"},
		},
		"a query before the release": {
			change: func(g *gates) { g.Release[1] = v1beta1.PolicyGate{Prometheus: query(strings.Repeat("x", 4096))} },
		},
		"no query": {
			change: func(g *gates) { g.Start[1].Prometheus = &v1beta1.PrometheusGate{Query: " ", ForSeconds: -1} },
			want: []string{
				"spec.gates.start[1].prometheus.forSeconds: Invalid value: -1: must be between 0 and 86400, inclusive",
				`spec.gates.start[1].prometheus.query: Required value: must be a query of PromQL, such as sum(up{job="db"}) > 2`,
			},
		},
		"long query": {
			change: func(g *gates) { g.Start[1].Prometheus = query(strings.Repeat("x", 4097)) },
			want:   []string{"spec.gates.start[1].prometheus.query: Too long: may not be more than 4096 bytes"},
		},
		"bad condition": {
			change: func(g *gates) {
				g.Release[0].NodeCondition = &v1beta1.NodeConditionGate{Status: metav1.ConditionStatus("Yes"), ForSeconds: 86401}
			},
			want: []string{
				"spec.gates.release[0].nodeCondition.forSeconds: Invalid value: 86401: must be between 0 and 86400, inclusive",
				`spec.gates.release[0].nodeCondition.status: Unsupported value: "Yes": supported values: "True", "False", "Unknown"`,
				"spec.gates.release[0].nodeCondition.type: Required value: must be a condition of nodes, such as Ready",
			},
		},
		"condition that is True": {change: func(g *gates) { g.Release[0].NodeCondition.Status = "" }},
		"condition of no name": {
			change: func(g *gates) { g.Release[0].NodeCondition.Type = "is ready" },
			want:   []string{`spec.gates.release[0].nodeCondition.type: Invalid value: "is ready": ` + labelKey},
		},
		"a query before the release that passes in time": {
			change: func(g *gates) {
				g.Release[1] = v1beta1.PolicyGate{Prometheus: &v1beta1.PrometheusGate{Query: "up", ForSeconds: 1799}}
			},
		},
		"a query before the release that never passes in time": {
			change: func(g *gates) {
				g.Release[1] = v1beta1.PolicyGate{Prometheus: &v1beta1.PrometheusGate{Query: "up", ForSeconds: 1800}}
			},
			want: []string{"spec.gates.release[1].prometheus.forSeconds: Invalid value: 1800: must be less than gates.releaseTimeoutSeconds, " +
				"which is 1800: the gate could never pass in time"},
		},
		"a condition may have lasted since before": {change: func(g *gates) { g.Release[0].NodeCondition.ForSeconds = 86400 }},
		"a query before the start has no timeout":  {change: func(g *gates) { g.Start[1].Prometheus.ForSeconds = 86400 }},
		"timeout": {
			change: func(g *gates) { g.ReleaseTimeoutSeconds = ptr.To[int64](604801) },
			want:   []string{"spec.gates.releaseTimeoutSeconds: Invalid value: 604801: must be between 1 and 604800, inclusive"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			wantPolicyErrors(t, func(s *v1beta1.MaintenancePolicySpec) { test.change(s.Gates) }, test.want...)
		})
	}
}
