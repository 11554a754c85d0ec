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

type profileSpec = v1beta1.MaintenanceProfileSpec

var drain = v1beta1.DrainSpec{
	OnTimeout: v1beta1.OnTimeoutReport, UnmanagedPods: v1beta1.PolicyEvict, EmptyDirPods: v1beta1.PolicyEvict,
}

// The places of the checks of fullProfile.
const (
	annotationAt = iota
	labelAt
	anyNodeAt
	conditionAt
	nodeAt
	objectAt
	objectsAt
	nodeCountAt
	versionAt
	affinityAt
	maxAt
	staggerAt
	windowAt
	waitAt
	prometheusAt
	httpAt
	approvalAt
)

// The places of its triggers and notifiers.
const (
	patchNodeAt = iota
	holdAt
	releaseAt
	jobAt
	webhookAt
	patchObjectAt
	rebootAt

	slackAt   = 0
	threadAt  = 1
	mailAt    = 2
	noticeAt  = 3
	longLines = 4097
)

func fullChecks() []v1beta1.ProfileCheck {
	return []v1beta1.ProfileCheck{
		{Name: "a", NodeAnnotation: &v1beta1.KeyValueCheck{Key: "example.com/Reboot", Value: ptr.To("")}},
		{Name: "b", NodeLabel: &v1beta1.KeyValueCheck{Key: "pool"}},
		{Name: "c", AnyNode: &v1beta1.KeyValueCheck{Key: "pool", Value: ptr.To("web")}},
		{Name: "d", NodeCondition: &v1beta1.NodeConditionCheck{Type: "Ready", Status: metav1.ConditionTrue}},
		{Name: "e", Node: &v1beta1.NodeExpressionCheck{Expression: `node.metadata.name != "x"`}},
		{Name: "f", Object: &v1beta1.ObjectCheck{
			APIVersion: "apps/v1", Resource: "deployments", Namespace: "shop", NameExpression: "node.metadata.name",
			Expression: "object.spec.replicas > 1", Missing: v1beta1.MissingFalse,
		}},
		{Name: "f2", Object: &v1beta1.ObjectCheck{APIVersion: "v1", Resource: "pods", Selector: &metav1.LabelSelector{}, Expression: "objects.size() > 1"}},
		{Name: "g", NodeCount: &v1beta1.NodeCountCheck{Min: 3}},
		{Name: "h", ClusterVersion: &v1beta1.ClusterVersionCheck{LabelKey: "os/version", Scope: v1beta1.VersionScopeProfile, Parse: v1beta1.VersionTolerant}},
		{Name: "i", PodAffinity: &v1beta1.PodAffinityCheck{}},
		{Name: "j", MaxInMaintenance: &v1beta1.MaxInMaintenanceCheck{Max: 1, Profile: "esx", GroupBy: []string{"zone"}, SkipAfterSeconds: ptr.To[int64](1)}},
		{Name: "k", Stagger: &v1beta1.StaggerCheck{Pool: "kube-system/stagger", Seconds: 480, Parallel: ptr.To[int32](2)}},
		{Name: "l", TimeWindow: &v1beta1.TimeWindowCheck{
			Start: "22:00", End: "04:00", Weekdays: []v1beta1.Weekday{v1beta1.Monday}, TimeZone: "Europe/Berlin",
			ExcludeDates: []string{"12-24", "2026-11-27"},
		}},
		{Name: "m", Wait: &v1beta1.WaitCheck{Seconds: 720, ExcludeWeekdays: []v1beta1.Weekday{v1beta1.Sunday}, TimeZone: "UTC"}},
		{Name: "n", Prometheus: &v1beta1.PrometheusCheck{Endpoint: "prom", Query: "up", Expression: "value < 1", IntervalSeconds: ptr.To[int64](5)}},
		{Name: "o", HTTP: &v1beta1.HTTPCheck{Endpoint: "web", Path: "/ready?node=$(nodeName)", Expression: "response.status == 200"}},
		{Name: "p", Approval: &v1beta1.ApprovalCheck{Approvers: ptr.To[int32](2)}},
	}
}

func fullTriggers() []v1beta1.ProfileTrigger {
	return []v1beta1.ProfileTrigger{
		{Name: "q", TimeoutSeconds: ptr.To[int64](60), OnFailure: v1beta1.FailureAbort, PatchNode: &v1beta1.PatchNodeTrigger{
			Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"}, RemoveLabels: []string{"e"}, RemoveAnnotations: []string{"f"},
			AddFinalizers: []string{"example.com/g"}, RemoveFinalizers: []string{"example.com/h"},
		}},
		{Name: "r", Hold: &v1beta1.HoldTrigger{Stage: v1beta1.StageDrain, Drain: drain.DeepCopy()}},
		{Name: "s", Release: &v1beta1.ReleaseTrigger{}},
		{Name: "t", Job: &v1beta1.JobTrigger{Namespace: "ops", CronJob: "flash"}},
		{Name: "u", Webhook: &v1beta1.WebhookTrigger{Endpoint: "hook"}},
		{Name: "v", PatchObject: &v1beta1.PatchObjectTrigger{
			APIVersion: "example.com/v1", Resource: "hypervisors", NameExpression: "node.metadata.name", PatchExpression: `{"spec": {"maintenance": "manual"}}`,
		}},
		{Name: "v2", Reboot: &v1beta1.RebootTrigger{Job: &v1beta1.JobTrigger{Namespace: "ops", CronJob: "reboot"}}},
	}
}

func fullNotifiers() []v1beta1.ProfileNotifier {
	const message = "{{ .Node.metadata.name }} is {{ .State }}"
	return []v1beta1.ProfileNotifier{
		{Name: "w", Slack: &v1beta1.SlackNotifier{Endpoint: "slack", Channel: "#ops", Message: message}},
		{
			Name: "x", SlackThread: &v1beta1.SlackThreadNotifier{Endpoint: "slack", Channel: "C012", Title: "t", Message: message, PeriodSeconds: 43200},
			Schedule: &v1beta1.NotifierSchedule{Scheduled: &v1beta1.ScheduledSchedule{At: "08:00", Weekdays: []v1beta1.Weekday{v1beta1.Friday}}},
		},
		{
			Name: "y", Mail: &v1beta1.MailNotifier{Endpoint: "mail", From: "Ops <ops@example.com>", To: []string{"a@example.com"}, Subject: "s", Message: message},
			Schedule: &v1beta1.NotifierSchedule{Periodic: &v1beta1.PeriodicSchedule{Seconds: ptr.To[int64](60)}}, Dedupe: v1beta1.DedupeNode,
		},
		{
			Name: "z", Webhook: &v1beta1.WebhookNotifier{Endpoint: "hook"}, Delivery: v1beta1.DeliveryAtMostOnce,
			Schedule: &v1beta1.NotifierSchedule{Oneshot: &v1beta1.OneshotSchedule{DelaySeconds: ptr.To[int64](0)}},
		},
	}
}

// fullProfile has every field.
func fullProfile() *v1beta1.MaintenanceProfile {
	return &v1beta1.MaintenanceProfile{
		ObjectMeta: metav1.ObjectMeta{Name: "flatcar"},
		Spec: profileSpec{
			Alias: "Flat.car_1", Mode: v1beta1.ProfileActive, Priority: -100, OnDetach: v1beta1.DetachFinish, NodeGoneSeconds: ptr.To[int64](0),
			Nodes:  v1beta1.ProfileNodes{Selector: &metav1.LabelSelector{}, Names: []string{"worker-1"}, ByLabel: true, Unlabelled: true},
			Checks: fullChecks(), Triggers: fullTriggers(), Notifiers: fullNotifiers(),
			States: v1beta1.ProfileStates{
				Operational: v1beta1.ProfileStateSpec{Transitions: []v1beta1.ProfileTransition{
					{Name: "required", Check: "a || b", Next: v1beta1.ProfileMaintenanceRequired},
				}},
				MaintenanceRequired: v1beta1.ProfileStateSpec{Notify: []string{"w"}, Transitions: []v1beta1.ProfileTransition{
					{Name: "start", Check: "j && !(k || l)", Triggers: []string{"q", "q"}, Next: v1beta1.ProfileInMaintenance},
				}},
				InMaintenance: v1beta1.ProfileStateSpec{
					Hold: &v1beta1.ProfileHold{Stage: v1beta1.StageDrain, Drain: drain}, Enter: []string{"t"}, Notify: []string{"x", "y"},
					Transitions: []v1beta1.ProfileTransition{{Name: "done", Check: "!a", Next: v1beta1.ProfileOperational}},
				},
			},
		},
	}
}

type badProfile struct {
	change func(*profileSpec)
	want   []string
}

func testProfiles(t *testing.T, tests map[string]badProfile) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			profile := fullProfile()
			test.change(&profile.Spec)
			wantErrors(t, ValidateMaintenanceProfile(profile), test.want...)
		})
	}
}

const aliasWant = `must be 1 to 63 letters, digits, "-", "_" and ".", begin and end with a letter or digit, and not have "--", which is between two profiles in the label of a node`

func TestProfiles(t *testing.T) {
	testProfiles(t, map[string]badProfile{
		"as it is":           {change: func(*profileSpec) {}},
		"one name":           {change: func(s *profileSpec) { s.Nodes = v1beta1.ProfileNodes{Names: []string{"worker-1"}} }},
		"two aliases in one": {change: func(s *profileSpec) { s.Alias = "a--b" }, want: []string{`spec.alias: Invalid value: "a--b": ` + aliasWant}},
		"an alias that no label can have": {
			change: func(s *profileSpec) { s.Alias = "-a" }, want: []string{`spec.alias: Invalid value: "-a": ` + aliasWant},
		},
		"out of range": {
			change: func(s *profileSpec) {
				s.Mode, s.Priority, s.OnDetach, s.NodeGoneSeconds = "Off", 101, "Drop", ptr.To[int64](86401)
			},
			want: []string{
				`spec.mode: Unsupported value: "Off": supported values: "Active", "DryRun", "Paused"`,
				"spec.priority: Invalid value: 101: must be between -100 and 100, inclusive",
				`spec.onDetach: Unsupported value: "Drop": supported values: "Finish", "Release"`,
				"spec.nodeGoneSeconds: Invalid value: 86401: must be between 0 and 86400, inclusive",
			},
		},
		"no nodes": {
			change: func(s *profileSpec) { s.Nodes = v1beta1.ProfileNodes{} },
			want:   []string{"spec.nodes: Required value: must select nodes: set selector ({} selects all nodes), names, byLabel or unlabelled"},
		},
		"a node twice": {
			change: func(s *profileSpec) { s.Nodes.Names = []string{"a", "b", "a"} }, want: []string{`spec.nodes.names[2]: Duplicate value: "a"`},
		},
		"many names": {
			change: func(s *profileSpec) { s.Nodes.Names = make([]string, 1001) }, want: []string{"spec.nodes.names: Too many: 1001: must have at most 1000 items"},
		},
		"many of each": {
			change: func(s *profileSpec) {
				s.Checks, s.Triggers, s.Notifiers = make([]v1beta1.ProfileCheck, 65), make([]v1beta1.ProfileTrigger, 65), make([]v1beta1.ProfileNotifier, 17)
				s.States = v1beta1.ProfileStates{Operational: v1beta1.ProfileStateSpec{
					Enter: make([]string, 17), Notify: make([]string, 17), Transitions: make([]v1beta1.ProfileTransition, 17),
				}}
			},
			want: []string{
				"spec.checks: Too many: 65: must have at most 64 items", "spec.triggers: Too many: 65: must have at most 64 items",
				"spec.notifiers: Too many: 17: must have at most 16 items", "spec.states.operational.enter: Too many: 17: must have at most 16 items",
				"spec.states.operational.notify: Too many: 17: must have at most 16 items",
				"spec.states.operational.transitions: Too many: 17: must have at most 16 items",
			},
		},
		"too large": {
			change: func(s *profileSpec) { s.Notifiers[noticeAt].Webhook.Endpoint = strings.Repeat("a", 64<<10) },
			want:   []string{"spec: Too long: may not be more than 65536 bytes"},
		},
	})
}

func TestProfileNames(t *testing.T) {
	rename := func(to string) func(*profileSpec) {
		return func(s *profileSpec) { s.Checks[approvalAt].Name = to }
	}
	testProfiles(t, map[string]badProfile{
		"none":       {change: rename(""), want: []string{"spec.checks[16].name: Required value: must be what transitions call the check"}},
		"underscore": {change: rename("_")},
		"a dash":     {change: rename("9-up!"), want: []string{`spec.checks[16].name: Invalid value: "9-up!": must have only letters, digits and "_", and not begin with a digit, such as _9_up_`}},
		"long":       {change: rename(strings.Repeat("a", 64)), want: []string{"spec.checks[16].name: Too long: may not be more than 63 bytes"}},
		"reserved":   {change: rename("in"), want: []string{`spec.checks[16].name: Invalid value: "in": is a reserved word of CEL, which chains cannot name: use another name, such as in_`}},
		"twice":      {change: rename("a"), want: []string{`spec.checks[16].name: Duplicate value: "a"`}},
		"others twice": {
			change: func(s *profileSpec) {
				s.Triggers[holdAt].Name, s.Notifiers[threadAt].Name = "q", "w"
				s.States.InMaintenance.Notify = nil
				state := &s.States.Operational
				state.Transitions = append(state.Transitions, state.Transitions[0])
			},
			want: []string{
				`spec.triggers[1].name: Duplicate value: "q"`, `spec.notifiers[1].name: Duplicate value: "w"`,
				`spec.states.operational.transitions[1].name: Duplicate value: "required"`,
			},
		},
		"a reserved word for a trigger": {change: func(s *profileSpec) { s.Triggers[releaseAt].Name = "return" }},
	})
}

func TestProfileStates(t *testing.T) {
	testProfiles(t, map[string]badProfile{
		"what there is not": {
			change: func(s *profileSpec) {
				s.States.InMaintenance.Enter, s.States.InMaintenance.Notify = []string{"nope"}, []string{"a"}
				s.States.InMaintenance.Transitions[0].Triggers = []string{"x"}
			},
			want: []string{
				`spec.states.inMaintenance.enter[0]: Invalid value: "nope": must be the name of one of spec.triggers`,
				`spec.states.inMaintenance.notify[0]: Invalid value: "a": must be the name of one of spec.notifiers`,
				`spec.states.inMaintenance.transitions[0].triggers[0]: Invalid value: "x": must be the name of one of spec.triggers`,
			},
		},
		"a notifier twice": {
			change: func(s *profileSpec) { s.States.MaintenanceRequired.Notify = []string{"w", "w"} },
			want:   []string{`spec.states.maintenanceRequired.notify[1]: Duplicate value: "w"`},
		},
		"no chain": {
			change: func(s *profileSpec) { s.States.Operational.Transitions[0].Check = " " },
			want: []string{`spec.states.operational.transitions[0].check: Required value: must be a chain of names of spec.checks, such as ` +
				`"approved && !(frozen || busy)"`},
		},
		"a long chain": {
			change: func(s *profileSpec) { s.States.Operational.Transitions[0].Check = strings.Repeat(" ", longLines) + "a" },
			want:   []string{"spec.states.operational.transitions[0].check: Too long: may not be more than 4096 bytes"},
		},
		"a loop": {
			change: func(s *profileSpec) { s.States.Operational.Transitions[0].Next = v1beta1.ProfileOperational },
			want: []string{`spec.states.operational.transitions[0].next: Invalid value: "Operational": must be another state than the one that it leads from: ` +
				`MaintenanceRequired or InMaintenance`},
		},
		"no next": {
			change: func(s *profileSpec) { s.States.InMaintenance.Transitions[0].Next = "" },
			want:   []string{"spec.states.inMaintenance.transitions[0].next: Required value: must be the state that it leads to: Operational or MaintenanceRequired"},
		},
		"nowhere": {
			change: func(s *profileSpec) { s.States.InMaintenance.Transitions[0].Next = "operational" },
			want:   []string{`spec.states.inMaintenance.transitions[0].next: Unsupported value: "operational": supported values: "Operational", "MaintenanceRequired"`},
		},
		"an idle hold": {
			change: func(s *profileSpec) { s.States.InMaintenance.Hold.Stage = v1beta1.StageIdle },
			want:   []string{`spec.states.inMaintenance.hold.stage: Unsupported value: "Idle": supported values: "Cordon", "Drain"`},
		},
		"a hold that deletes at no time": {
			change: func(s *profileSpec) { s.States.InMaintenance.Hold.Drain.OnTimeout = v1beta1.OnTimeoutDelete },
			want: []string{"spec.states.inMaintenance.hold.drain.timeoutSeconds: Required value: must be set with onTimeout: Delete, " +
				"which deletes pods after that time"},
		},
	})
}

// What compiles is the business of other packages; here, that each text is compiled as what it is.
func TestProfilePrograms(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*profileSpec)
		want   string
	}{
		"an unknown check in a chain":  {func(s *profileSpec) { s.States.Operational.Transitions[0].Check = "a && nope" }, "spec.states.operational.transitions[0].check: Invalid value: \"a && nope\": "},
		"an object of a node":          {func(s *profileSpec) { s.Checks[nodeAt].Node.Expression = "object.x" }, "spec.checks[4].node.expression: Invalid value: "},
		"a value of an object":         {func(s *profileSpec) { s.Checks[objectAt].Object.Expression = "objects.size() > 1" }, "spec.checks[5].object.expression: Invalid value: "},
		"an object of objects":         {func(s *profileSpec) { s.Checks[objectsAt].Object.Expression = "object.x == 1" }, "spec.checks[6].object.expression: Invalid value: "},
		"a name that is a number":      {func(s *profileSpec) { s.Checks[objectAt].Object.NameExpression = "1" }, "spec.checks[5].object.nameExpression: Invalid value: "},
		"a node of Prometheus":         {func(s *profileSpec) { s.Checks[prometheusAt].Prometheus.Expression = "node.x" }, "spec.checks[14].prometheus.expression: Invalid value: "},
		"a value of HTTP":              {func(s *profileSpec) { s.Checks[httpAt].HTTP.Expression = "value < 1" }, "spec.checks[15].http.expression: Invalid value: "},
		"a patch that is a name":       {func(s *profileSpec) { s.Triggers[patchObjectAt].PatchObject.PatchExpression = `"x"` }, "spec.triggers[5].patchObject.patchExpression: Invalid value: "},
		"the name of a patch":          {func(s *profileSpec) { s.Triggers[patchObjectAt].PatchObject.NameExpression = "object.x" }, "spec.triggers[5].patchObject.nameExpression: Invalid value: "},
		"no expression":                {func(s *profileSpec) { s.Checks[nodeAt].Node.Expression = "" }, "spec.checks[4].node.expression: Required value: must be an expression of CEL, such as "},
		"a long expression":            {func(s *profileSpec) { s.Checks[nodeAt].Node.Expression = strings.Repeat("a", longLines) }, "spec.checks[4].node.expression: Too long: may not be more than 4096 bytes"},
		"a long name expression":       {func(s *profileSpec) { s.Checks[objectAt].Object.NameExpression = strings.Repeat("a", 1025) }, "spec.checks[5].object.nameExpression: Too long: may not be more than 1024 bytes"},
		"a template that does not end": {func(s *profileSpec) { s.Notifiers[slackAt].Slack.Message = "{{ .State" }, "spec.notifiers[0].slack.message: Invalid value: \"{{ .State\": "},
		"no template":                  {func(s *profileSpec) { s.Notifiers[mailAt].Mail.Subject = "" }, "spec.notifiers[2].mail.subject: Required value: must be a template, such as "},
		"a long template":              {func(s *profileSpec) { s.Notifiers[threadAt].SlackThread.Title = strings.Repeat("a", 8193) }, "spec.notifiers[1].slackThread.title: Too long: may not be more than 8192 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			profile := fullProfile()
			test.change(&profile.Spec)
			errs := ValidateMaintenanceProfile(profile)
			if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), test.want) {
				t.Errorf("got %v, want one error that begins with %q", errs, test.want)
			}
		})
	}
}

func TestNamesOfProfiles(t *testing.T) {
	profile := fullProfile()
	profile.Name, profile.Spec.Alias = "a--b", ""
	wantErrors(t, ValidateMaintenanceProfile(profile), `spec.alias: Required value: must be set, since the name has "--", which is between two profiles in the label of a node`)
	profile.Name = "a.b"
	wantErrors(t, ValidateMaintenanceProfile(profile), `metadata.name: Invalid value: "a.b": must not contain dots`)
	profile.Name, profile.ResourceVersion = "a", "1"
	wantErrors(t, ValidateMaintenanceProfile(profile), "metadata.resourceVersion: Forbidden: must not be set on a new object")
}

// What a newer version has stored stays, and does not keep anybody from changing the rest.
func TestProfileThatAnotherVersionStored(t *testing.T) {
	old := fullProfile()
	old.Spec.Checks[waitAt].Wait = nil
	old.Spec.States.Operational.Transitions[0].Check = "a ^ b"
	changed := old.DeepCopy()
	changed.Spec.Priority = 1
	wantErrors(t, ValidateMaintenanceProfileUpdate(changed, old))
	changed.Spec.Priority = 101
	wantErrors(t, ValidateMaintenanceProfileUpdate(changed, old), "spec.priority: Invalid value: 101: must be between -100 and 100, inclusive")
}

func TestProfileStatus(t *testing.T) {
	old, changed := fullProfile(), fullProfile()
	changed.Status = v1beta1.MaintenanceProfileStatus{
		ObservedGeneration: -1, Counts: v1beta1.ProfileCounts{Operational: -1}, Conditions: []metav1.Condition{{Type: "Valid", Status: "Maybe", Reason: "R", LastTransitionTime: metav1.Now()}},
	}
	wantErrors(t, ValidateMaintenanceProfileStatusUpdate(changed, old),
		"status.observedGeneration: Invalid value: -1: must be greater than or equal to 0",
		"status.counts.operational: Invalid value: -1: must be greater than or equal to 0",
		`status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"`)
}
