// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// fullPolicy sets every field of a spec.
func fullPolicy() *v1beta1.MaintenancePolicy {
	return &v1beta1.MaintenancePolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "workers"},
		Spec: v1beta1.MaintenancePolicySpec{
			NodeSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"pool": "web"}},
			Limits: v1beta1.PolicyLimits{
				MaxConcurrent: ptr.To(intstr.FromString("10%")), MaxUnavailable: ptr.To(intstr.FromInt32(0)),
				Topology: []v1beta1.TopologyLimit{
					{Key: "topology.kubernetes.io/zone", MaxConcurrent: ptr.To(intstr.FromInt32(2)), MaxDomains: ptr.To[int32](1)},
					{Key: "rack", MaxConcurrent: ptr.To(intstr.FromString("100%"))},
				},
			},
			Pace:     &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](5), PerSeconds: ptr.To[int64](3600), SoakSeconds: 600},
			AutoStop: &v1beta1.PolicyAutoStop{Failures: 2, WindowSeconds: ptr.To[int64](86400), DrainSeconds: ptr.To[int64](7200), HeldSeconds: ptr.To[int64](28800)},
			Schedule: &v1beta1.PolicySchedule{
				TimeZone: "Europe/Berlin", LastStartSeconds: 1800,
				Windows: []v1beta1.PolicyWindow{
					{Name: "night", Weekly: &v1beta1.WeeklyTime{Days: []v1beta1.Weekday{v1beta1.Monday, v1beta1.Sunday}, Start: "22:00", End: "04:00"}},
					{Name: "friday", Cron: "0 20 * * 5", DurationSeconds: ptr.To[int64](28800)},
					{Name: "once", From: at("2026-12-05T20:00:00Z"), Until: at("2026-12-06T04:00:00Z")},
				},
				Freezes: []v1beta1.PolicyFreeze{
					{PolicyWindow: v1beta1.PolicyWindow{Name: "sale"}, Dates: &v1beta1.DateRange{From: "2026-11-27", Until: "2026-11-27"}},
					{PolicyWindow: v1beta1.PolicyWindow{Name: "xmas"}, Yearly: &v1beta1.YearlyRange{From: "12-20", Until: "02-29"}},
					{PolicyWindow: v1beta1.PolicyWindow{Name: "noon", Weekly: &v1beta1.WeeklyTime{Start: "12:00", End: "12:00"}}},
				},
			},
			Approvals: &v1beta1.PolicyApprovals{Count: 5, ValidSeconds: ptr.To[int64](60)},
			Gates: &v1beta1.PolicyGates{
				Start: []v1beta1.PolicyGate{
					{PlanUnblocked: true},
					{Prometheus: &v1beta1.PrometheusGate{Query: "up > 2", ForSeconds: 60}},
					{NodeCondition: &v1beta1.NodeConditionGate{Type: "example.com/Idle", Status: metav1.ConditionUnknown}},
				},
				Release: []v1beta1.PolicyGate{
					{NodeCondition: &v1beta1.NodeConditionGate{Type: "Ready", Status: metav1.ConditionTrue, ForSeconds: 120}}, {DaemonSetPodsReady: true},
				},
				ReleaseTimeoutSeconds: ptr.To[int64](1800),
			},
			Queue: v1beta1.PolicyQueueSpec{MarkWaiting: ptr.To(true), AgingSeconds: ptr.To[int64](0)},
		},
	}
}

func at(text string) *metav1.Time {
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return &metav1.Time{Time: parsed}
}

const labelKey = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ` +
	`(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`

const limitForm = `must be a number of nodes, 0 or more, or a share of them, from "0%" to "100%"; write a number without quotes`

// badPolicies are what one change makes of the full policy.
var badPolicies = map[string]struct {
	change func(*v1beta1.MaintenancePolicySpec)
	want   []string
}{
	"as it is":  {change: func(*v1beta1.MaintenancePolicySpec) {}},
	"all nodes": {change: func(s *v1beta1.MaintenancePolicySpec) { s.NodeSelector = &metav1.LabelSelector{} }},
	"nothing set": {change: func(s *v1beta1.MaintenancePolicySpec) {
		*s = v1beta1.MaintenancePolicySpec{NodeSelector: s.NodeSelector}
	}},
	"no selector": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.NodeSelector = nil },
		want:   []string{"spec.nodeSelector: Required value: must select the nodes that the policy is for; {} selects all nodes"},
	},
	"bad selector": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.NodeSelector.MatchLabels = map[string]string{"a b": ""} },
		want:   []string{`spec.nodeSelector.matchLabels: Invalid value: "a b": ` + labelKey},
	},
	"negative limit": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxConcurrent = ptr.To(intstr.FromInt32(-1)) },
		want:   []string{"spec.limits.maxConcurrent: Invalid value: -1: " + limitForm},
	},
	"limit of words": {
		change: func(s *v1beta1.MaintenancePolicySpec) {
			s.Limits.MaxUnavailable = ptr.To(intstr.FromString("10 %"))
		},
		want: []string{`spec.limits.maxUnavailable: Invalid value: "10 %": ` + limitForm},
	},
	"number as text": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.Limits.MaxUnavailable = ptr.To(intstr.FromString("3")) },
		want:   []string{`spec.limits.maxUnavailable: Invalid value: "3": ` + limitForm},
	},
	"more than all": {
		change: func(s *v1beta1.MaintenancePolicySpec) {
			s.Limits.Topology[0].MaxConcurrent = ptr.To(intstr.FromString("101%"))
		},
		want: []string{`spec.limits.topology[0].maxConcurrent: Invalid value: "101%": ` + limitForm},
	},
	"many topologies": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.Limits.Topology = make([]v1beta1.TopologyLimit, 5) },
		want:   []string{"spec.limits.topology: Too many: 5: must have at most 4 items"},
	},
	"topology twice": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.Limits.Topology[1].Key = "topology.kubernetes.io/zone" },
		want:   []string{`spec.limits.topology[1].key: Duplicate value: "topology.kubernetes.io/zone"`},
	},
	"topology without a key": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.Limits.Topology[1].Key = "" },
		want:   []string{"spec.limits.topology[1].key: Required value: must be a label of nodes, such as topology.kubernetes.io/zone"},
	},
	"topology of no label": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.Limits.Topology[1].Key = "a zone" },
		want:   []string{`spec.limits.topology[1].key: Invalid value: "a zone": ` + labelKey},
	},
	"topology without a limit": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.Limits.Topology[1].MaxConcurrent = nil },
		want:   []string{"spec.limits.topology[1]: Required value: must have maxConcurrent, maxDomains or both"},
	},
	"no domains": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.Limits.Topology[0].MaxDomains = ptr.To[int32](0) },
		want:   []string{"spec.limits.topology[0].maxDomains: Invalid value: 0: must be at least 1"},
	},
	"starts in no time": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.Pace.PerSeconds = nil },
		want:   []string{"spec.pace.perSeconds: Required value: must be set with maxStarts"},
	},
	"time without starts": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.Pace.MaxStarts = nil },
		want:   []string{"spec.pace.maxStarts: Required value: must be set with perSeconds"},
	},
	"only soak": {change: func(s *v1beta1.MaintenancePolicySpec) { s.Pace.MaxStarts, s.Pace.PerSeconds = nil, nil }},
	"pace out of range": {
		change: func(s *v1beta1.MaintenancePolicySpec) {
			s.Pace = &v1beta1.PolicyPace{MaxStarts: ptr.To[int32](1001), PerSeconds: ptr.To[int64](59), SoakSeconds: 86401}
		},
		want: []string{
			"spec.pace.maxStarts: Invalid value: 1001: must be between 1 and 1000, inclusive",
			"spec.pace.perSeconds: Invalid value: 59: must be between 60 and 604800, inclusive",
			"spec.pace.soakSeconds: Invalid value: 86401: must be between 0 and 86400, inclusive",
		},
	},
	"stop out of range": {
		change: func(s *v1beta1.MaintenancePolicySpec) {
			s.AutoStop = &v1beta1.PolicyAutoStop{WindowSeconds: ptr.To[int64](59), DrainSeconds: ptr.To[int64](0), HeldSeconds: ptr.To[int64](31536001)}
			s.AutoStop.IgnoreBefore = at("9999-12-31T23:59:59-14:00")
		},
		want: []string{
			"spec.autoStop.failures: Invalid value: 0: must be at least 1",
			`spec.autoStop.ignoreBefore: Invalid value: "10000-01-01T13:59:59Z": must be in a year between 1970 and 2200`,
			"spec.autoStop.windowSeconds: Invalid value: 59: must be between 60 and 2592000, inclusive",
			"spec.autoStop.drainSeconds: Invalid value: 0: must be between 1 and 2592000, inclusive",
			"spec.autoStop.heldSeconds: Invalid value: 31536001: must be between 1 and 31536000, inclusive",
		},
	},
	"approvals out of range": {
		change: func(s *v1beta1.MaintenancePolicySpec) {
			s.Approvals = &v1beta1.PolicyApprovals{Count: 6, ValidSeconds: ptr.To[int64](2592001)}
		},
		want: []string{
			"spec.approvals.count: Invalid value: 6: must be between 1 and 5, inclusive",
			"spec.approvals.validSeconds: Invalid value: 2592001: must be between 60 and 2592000, inclusive",
		},
	},
	"aging out of range": {
		change: func(s *v1beta1.MaintenancePolicySpec) { s.Queue.AgingSeconds = ptr.To[int64](2592001) },
		want:   []string{"spec.queue.agingSeconds: Invalid value: 2592001: must be between 0 and 2592000, inclusive"},
	},
}

func TestPolicies(t *testing.T) {
	for name, test := range badPolicies {
		t.Run(name, func(t *testing.T) { wantPolicyErrors(t, test.change, test.want...) })
	}
}

// wantPolicyErrors changes the full policy, and wants the same of a create as of an update.
func wantPolicyErrors(t *testing.T, change func(*v1beta1.MaintenancePolicySpec), want ...string) {
	t.Helper()
	policy := fullPolicy()
	change(&policy.Spec)
	wantErrors(t, ValidateMaintenancePolicy(policy), want...)
	wantErrors(t, ValidateMaintenancePolicyUpdate(policy, fullPolicy()), want...)
}

func TestPolicyObjects(t *testing.T) {
	tests := map[string]struct {
		change func(*v1beta1.MaintenancePolicy)
		want   []string
	}{
		"name not a subdomain": {
			change: func(p *v1beta1.MaintenancePolicy) { p.Name = "Workers" },
			want:   []string{`metadata.name: Invalid value: "Workers": ` + notSubdomain},
		},
		"resource version": {
			change: func(p *v1beta1.MaintenancePolicy) { p.ResourceVersion = "5" },
			want:   []string{"metadata.resourceVersion: Forbidden: must not be set on a new object"},
		},
		"too large": {
			change: func(p *v1beta1.MaintenancePolicy) {
				for i := range 5000 {
					p.Spec.Schedule.Windows = append(p.Spec.Schedule.Windows, v1beta1.PolicyWindow{Name: fmt.Sprintf("%060d", i)})
				}
			},
			want: []string{"object: Too long: may not be more than 262144 bytes"},
		},
		"largest of everything, applied": {
			change: func(p *v1beta1.MaintenancePolicy) {
				p.Spec.Gates.Start, p.Spec.Gates.Release = nil, nil
				for range 8 {
					gate := v1beta1.PolicyGate{Prometheus: &v1beta1.PrometheusGate{Query: strings.Repeat("x", 4096)}}
					p.Spec.Gates.Start, p.Spec.Gates.Release = append(p.Spec.Gates.Start, gate), append(p.Spec.Gates.Release, gate)
				}
				p.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": strings.Repeat("x", 80<<10)}
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			policy := fullPolicy()
			test.change(policy)
			wantErrors(t, ValidateMaintenancePolicy(policy), test.want...)
		})
	}
}

// What a newer version has stored stays, and does not keep anybody from changing the rest.
func TestPolicyThatAnotherVersionStored(t *testing.T) {
	old := fullPolicy()
	old.Spec.Schedule.TimeZone = "Mars/Olympus"
	changed := old.DeepCopy()
	changed.Spec.Paused = true
	wantErrors(t, ValidateMaintenancePolicyUpdate(changed, old))
}

func TestPolicyStatus(t *testing.T) {
	old, changed := fullPolicy(), fullPolicy()
	changed.Status = v1beta1.MaintenancePolicyStatus{Selected: -1, Conditions: []metav1.Condition{{Type: "Open", Status: "Ajar", Reason: "R", LastTransitionTime: metav1.Now()}}}
	wantErrors(t, ValidateMaintenancePolicyStatusUpdate(changed, old),
		"status.selected: Invalid value: -1: must be greater than or equal to 0",
		`status.conditions[0].status: Unsupported value: "Ajar": supported values: "False", "True", "Unknown"`)
}

func TestLedger(t *testing.T) {
	wantErrors(t, ValidateMaintenanceLedger(&v1beta1.MaintenanceLedger{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}))
	wantErrors(t, ValidateMaintenanceLedger(&v1beta1.MaintenanceLedger{ObjectMeta: metav1.ObjectMeta{Name: "other"}}),
		`metadata.name: Unsupported value: "other": supported values: "cluster"`)
}
