// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// checkKinds are all fields of a check but its name.
var checkKinds = func() string {
	var names []string
	for fields, i := reflect.TypeFor[v1beta1.ProfileCheck](), 1; i < fields.NumField(); i++ {
		names = append(names, strings.TrimSuffix(fields.Field(i).Tag.Get("json"), ",omitempty"))
	}
	return strings.Join(names, ", ")
}()

func TestProfileChecks(t *testing.T) {
	testProfiles(t, map[string]badProfile{
		"no kind": {
			change: func(s *profileSpec) { s.Checks[waitAt].Wait = nil },
			want:   []string{"spec.checks[13]: Required value: must have exactly one of: " + checkKinds},
		},
		"two kinds": {
			change: func(s *profileSpec) { s.Checks[waitAt].NodeCount = &v1beta1.NodeCountCheck{} },
			want:   []string{`spec.checks[13]: Invalid value: "nodeCount, wait": must have exactly one of: ` + checkKinds},
		},
		"no keys": {
			change: func(s *profileSpec) {
				s.Checks[annotationAt].NodeAnnotation.Key, s.Checks[labelAt].NodeLabel.Key, s.Checks[versionAt].ClusterVersion.LabelKey = "", "", ""
			},
			want: []string{
				"spec.checks[0].nodeAnnotation.key: Required value: must be the key of an annotation, such as example.com/reboot-needed",
				"spec.checks[1].nodeLabel.key: Required value: must be a label of nodes, such as topology.kubernetes.io/zone",
				"spec.checks[8].clusterVersion.labelKey: Required value: must be a label of nodes, such as topology.kubernetes.io/zone",
			},
		},
		"keys that there cannot be": {
			change: func(s *profileSpec) {
				s.Checks[annotationAt].NodeAnnotation.Key, s.Checks[labelAt].NodeLabel.Key = "a b", "a b"
			},
			want: []string{
				`spec.checks[0].nodeAnnotation.key: Invalid value: "a b": ` + labelKey, `spec.checks[1].nodeLabel.key: Invalid value: "a b": ` + labelKey,
			},
		},
		"a value that no label has": {
			change: func(s *profileSpec) { s.Checks[anyNodeAt].AnyNode.Value = ptr.To("a b") },
			want: []string{`spec.checks[2].anyNode.value: Invalid value: "a b": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ` +
				`and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`},
		},
		"no condition": {
			change: func(s *profileSpec) { *s.Checks[conditionAt].NodeCondition = v1beta1.NodeConditionCheck{} },
			want: []string{
				"spec.checks[3].nodeCondition.type: Required value: must be a condition of nodes, such as Ready",
				"spec.checks[3].nodeCondition.status: Required value: must be True, False or Unknown",
			},
		},
		"a status that there is not": {
			change: func(s *profileSpec) { s.Checks[conditionAt].NodeCondition.Status = "true" },
			want:   []string{`spec.checks[3].nodeCondition.status: Unsupported value: "true": supported values: "True", "False", "Unknown"`},
		},
		"numbers out of range": {
			change: func(s *profileSpec) {
				s.Checks[nodeCountAt].NodeCount.Min, s.Checks[affinityAt].PodAffinity.MinOperational = 0, -1
				s.Checks[maxAt].MaxInMaintenance.Max, s.Checks[maxAt].MaxInMaintenance.SkipAfterSeconds = 0, ptr.To[int64](0)
				s.Checks[staggerAt].Stagger.Seconds, s.Checks[staggerAt].Stagger.Parallel = 0, ptr.To[int32](101)
				s.Checks[waitAt].Wait.Seconds = 31536001
				s.Checks[prometheusAt].Prometheus.IntervalSeconds, s.Checks[httpAt].HTTP.IntervalSeconds = ptr.To[int64](4), ptr.To[int64](86401)
				s.Checks[approvalAt].Approval.Approvers = ptr.To[int32](6)
			},
			want: []string{
				"spec.checks[7].nodeCount.min: Invalid value: 0: must be at least 1", "spec.checks[9].podAffinity.minOperational: Invalid value: -1: must be at least 0",
				"spec.checks[10].maxInMaintenance.max: Invalid value: 0: must be at least 1",
				"spec.checks[10].maxInMaintenance.skipAfterSeconds: Invalid value: 0: must be between 1 and 31536000, inclusive",
				"spec.checks[11].stagger.seconds: Invalid value: 0: must be between 1 and 31536000, inclusive",
				"spec.checks[11].stagger.parallel: Invalid value: 101: must be between 1 and 100, inclusive",
				"spec.checks[13].wait.seconds: Invalid value: 31536001: must be between 1 and 31536000, inclusive",
				"spec.checks[14].prometheus.intervalSeconds: Invalid value: 4: must be between 5 and 86400, inclusive",
				"spec.checks[15].http.intervalSeconds: Invalid value: 86401: must be between 5 and 86400, inclusive",
				"spec.checks[16].approval.approvers: Invalid value: 6: must be between 1 and 5, inclusive",
			},
		},
		"values that there are not": {
			change: func(s *profileSpec) {
				s.Checks[versionAt].ClusterVersion.Scope, s.Checks[versionAt].ClusterVersion.Parse, s.Checks[objectAt].Object.Missing = "All", "Loose", "Unknown"
			},
			want: []string{
				`spec.checks[5].object.missing: Unsupported value: "Unknown": supported values: "Error", "False", "True"`,
				`spec.checks[8].clusterVersion.scope: Unsupported value: "All": supported values: "Cluster", "Profile"`,
				`spec.checks[8].clusterVersion.parse: Unsupported value: "Loose": supported values: "Strict", "Tolerant"`,
			},
		},
		"groups": {
			change: func(s *profileSpec) {
				s.Checks[maxAt].MaxInMaintenance.GroupBy, s.Checks[maxAt].MaxInMaintenance.Profile = []string{"a", "a", ""}, "a--b"
			},
			want: []string{
				`spec.checks[10].maxInMaintenance.profile: Invalid value: "a--b": ` + aliasWant, `spec.checks[10].maxInMaintenance.groupBy[1]: Duplicate value: "a"`,
				"spec.checks[10].maxInMaintenance.groupBy[2]: Required value: must be a label of nodes, such as topology.kubernetes.io/zone",
			},
		},
		"many groups": {
			change: func(s *profileSpec) { s.Checks[maxAt].MaxInMaintenance.GroupBy = make([]string, 9) },
			want:   []string{"spec.checks[10].maxInMaintenance.groupBy: Too many: 9: must have at most 8 items"},
		},
		"no pool": {
			change: func(s *profileSpec) { s.Checks[staggerAt].Stagger.Pool = "" },
			want:   []string{"spec.checks[11].stagger.pool: Required value: must name the pool; checks of all profiles that name the same pool share it"},
		},
		"a pool of words": {
			change: func(s *profileSpec) { s.Checks[staggerAt].Stagger.Pool = "a pool" },
			want:   []string{`spec.checks[11].stagger.pool: Invalid value: "a pool": must have only letters, digits, "-", ".", "_" and "/"`},
		},
	})
}

func TestProfileTimes(t *testing.T) {
	testProfiles(t, map[string]badProfile{
		"a bad window": {
			change: func(s *profileSpec) {
				*s.Checks[windowAt].TimeWindow = v1beta1.TimeWindowCheck{
					Start: "24:00", Weekdays: []v1beta1.Weekday{"Mon", "Mon", "Monday"}, TimeZone: "Local", ExcludeDates: []string{"02-30", "24.12."},
				}
			},
			want: []string{
				`spec.checks[12].timeWindow.start: Invalid value: "24:00": "24:00" is not a time of day: use HH:MM, from 00:00 to 23:59`,
				"spec.checks[12].timeWindow.end: Required value", `spec.checks[12].timeWindow.weekdays[1]: Duplicate value: "Mon"`,
				`spec.checks[12].timeWindow.weekdays[2]: Unsupported value: "Monday": supported values: "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"`,
				`spec.checks[12].timeWindow.timeZone: Invalid value: "Local": "Local" may mean another time on each machine: use a name of the IANA database, such as Europe/Berlin or UTC`,
				`spec.checks[12].timeWindow.excludeDates[0]: Invalid value: "02-30": is not a day: use MM-DD for each year, such as 12-24, or YYYY-MM-DD for one, such as 2026-11-27`,
				`spec.checks[12].timeWindow.excludeDates[1]: Invalid value: "24.12.": is not a day: use MM-DD for each year, such as 12-24, or YYYY-MM-DD for one, such as 2026-11-27`,
			},
		},
		"many dates": {
			change: func(s *profileSpec) { s.Checks[windowAt].TimeWindow.ExcludeDates = make([]string, 65) },
			want:   []string{"spec.checks[12].timeWindow.excludeDates: Too many: 65: must have at most 64 items"},
		},
		"a wait for no day": {
			change: func(s *profileSpec) { s.Checks[waitAt].Wait.ExcludeWeekdays = weekdays },
			want:   []string{`spec.checks[13].wait.excludeWeekdays: Invalid value: "[Mon Tue Wed Thu Fri Sat Sun]": must leave one day at least: no time would ever count`},
		},
		"schedules": {
			change: func(s *profileSpec) {
				s.Notifiers[slackAt].Schedule = &v1beta1.NotifierSchedule{}
				s.Notifiers[threadAt].Schedule.Scheduled = &v1beta1.ScheduledSchedule{TimeZone: "Mars"}
				s.Notifiers[mailAt].Schedule.Periodic.Seconds, s.Notifiers[noticeAt].Schedule.Oneshot.DelaySeconds = ptr.To[int64](59), ptr.To[int64](-1)
			},
			want: []string{
				"spec.notifiers[0].schedule: Required value: must have exactly one of: periodic, scheduled, oneshot", "spec.notifiers[1].schedule.scheduled.at: Required value",
				`spec.notifiers[1].schedule.scheduled.timeZone: Invalid value: "Mars": "Mars" is not known: use a name of the IANA database, such as Europe/Berlin or UTC; capitals matter`,
				"spec.notifiers[2].schedule.periodic.seconds: Invalid value: 59: must be between 60 and 31536000, inclusive",
				"spec.notifiers[3].schedule.oneshot.delaySeconds: Invalid value: -1: must be between 0 and 31536000, inclusive",
			},
		},
	})
}

const dnsLabel = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character ` +
	`(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`

func TestProfileObjects(t *testing.T) {
	testProfiles(t, map[string]badProfile{
		"of nothing": {
			change: func(s *profileSpec) {
				s.Checks[objectAt].Object = &v1beta1.ObjectCheck{Expression: "true"}
			},
			want: []string{
				"spec.checks[5].object.apiVersion: Required value: must be a group and version, such as apps/v1, or v1",
				"spec.checks[5].object.resource: Required value: must be the name of a resource in the plural, such as deployments",
				"spec.checks[5].object: Required value: must have nameExpression, for one object, or selector, for several; selector: {} selects all",
			},
		},
		"one and several": {
			change: func(s *profileSpec) { s.Checks[objectAt].Object.Selector = &metav1.LabelSelector{} },
			want:   []string{`spec.checks[5].object: Invalid value: "nameExpression, selector": must have exactly one of: nameExpression, selector`},
		},
		"a subresource": {
			change: func(s *profileSpec) { s.Checks[objectAt].Object.Resource = "pods/log" },
			want:   []string{`spec.checks[5].object.resource: Invalid value: "pods/log": ` + dnsLabel},
		},
		"a version of a version": {
			change: func(s *profileSpec) { s.Checks[objectAt].Object.APIVersion = "apps/v1/x" },
			want:   []string{`spec.checks[5].object.apiVersion: Invalid value: "apps/v1/x": must be a group and version, such as apps/v1, or v1`},
		},
		"a namespace of capitals": {
			change: func(s *profileSpec) { s.Checks[objectAt].Object.Namespace = "Shop" },
			want:   []string{`spec.checks[5].object.namespace: Invalid value: "Shop": ` + dnsLabel},
		},
		"to patch nodes": {
			change: func(s *profileSpec) {
				s.Triggers[patchObjectAt].PatchObject.APIVersion, s.Triggers[patchObjectAt].PatchObject.Resource = "v1", "nodes"
			},
			want: []string{"spec.triggers[5].patchObject.resource: Forbidden: nodes have marks of the server: use patchNode, which leaves them alone"},
		},
		"to give permissions": {
			change: func(s *profileSpec) {
				s.Triggers[patchObjectAt].PatchObject.APIVersion = "rbac.authorization.k8s.io/v1"
			},
			want: []string{"spec.triggers[5].patchObject.resource: Forbidden: kube-apiserver lets users give only permissions that they have themselves, and would ask for those of the server instead: change roles and bindings yourself"},
		},
		"to patch what guards": {
			change: func(s *profileSpec) {
				s.Triggers[patchObjectAt].PatchObject.APIVersion = "admissionregistration.k8s.io/v1"
			},
			want: []string{"spec.triggers[5].patchObject.resource: Forbidden: they decide what others may do in the cluster, and admission would judge the server instead of you: change them yourself"},
		},
		"to patch credentials": {
			change: func(s *profileSpec) {
				s.Triggers[patchObjectAt].PatchObject.APIVersion, s.Triggers[patchObjectAt].PatchObject.Resource = "v1", "secrets"
			},
			want: []string{"spec.triggers[5].patchObject.resource: Forbidden: they are credentials: change them yourself"},
		},
		"to patch our own": {
			change: func(s *profileSpec) {
				s.Triggers[patchObjectAt].PatchObject.APIVersion = "store.maintenance.medik8s.io/v1"
			},
			want: []string{"spec.triggers[5].patchObject.resource: Forbidden: they are objects of the server's own: use hold and release"},
		},
	})
}

func TestProfileAnswers(t *testing.T) {
	tests := map[string]badProfile{
		"no endpoints, no query": {
			change: func(s *profileSpec) {
				s.Checks[prometheusAt].Prometheus.Endpoint, s.Checks[prometheusAt].Prometheus.Query, s.Checks[httpAt].HTTP.Endpoint = "", " ", ""
				s.Triggers[webhookAt].Webhook.Endpoint, s.Notifiers[slackAt].Slack.Endpoint = "", ""
			},
			want: []string{
				"spec.checks[14].prometheus.endpoint: Required value: must be the name of a MaintenanceEndpoint with prometheus",
				`spec.checks[14].prometheus.query: Required value: must be a query of PromQL, such as max(up{job="db"})`,
				"spec.checks[15].http.endpoint: Required value: must be the name of a MaintenanceEndpoint with http or keystone",
				"spec.triggers[4].webhook.endpoint: Required value: must be the name of a MaintenanceEndpoint with webhook",
				"spec.notifiers[0].slack.endpoint: Required value: must be the name of a MaintenanceEndpoint with slack",
			},
		},
		"a long query": {
			change: func(s *profileSpec) { s.Checks[prometheusAt].Prometheus.Query = strings.Repeat("a", longLines) },
			want:   []string{"spec.checks[14].prometheus.query: Too long: may not be more than 4096 bytes"},
		},
		"a long path": {
			change: func(s *profileSpec) { s.Checks[httpAt].HTTP.Path = strings.Repeat("/", 2049) },
			want:   []string{"spec.checks[15].http.path: Too long: may not be more than 2048 bytes"},
		},
	}
	for path, want := range map[string]string{
		"@evil.example":    `must begin with one "/", such as /ready?node=$(nodeName)`,
		"//evil.example":   `must begin with one "/", such as /ready?node=$(nodeName)`,
		"/a b":             "must be the path of a URL: write other characters as %XX",
		"/%zz":             "must be the path of a URL: write other characters as %XX",
		"/a#b":             `must not have "#": no server gets what comes after it`,
		"/a/%2e%2e/secret": `must not have "..", which leads out of the path of the endpoint`,
	} {
		tests["path "+path] = badProfile{
			change: func(s *profileSpec) { s.Checks[httpAt].HTTP.Path = path },
			want:   []string{fmt.Sprintf("spec.checks[15].http.path: Invalid value: %q: %s", path, want)},
		}
	}
	testProfiles(t, tests)
}

func TestProfileTriggers(t *testing.T) {
	testProfiles(t, map[string]badProfile{
		"no kind": {
			change: func(s *profileSpec) { s.Triggers[releaseAt].Release = nil },
			want:   []string{"spec.triggers[2]: Required value: must have exactly one of: patchNode, hold, release, job, reboot, webhook, patchObject"},
		},
		"out of range": {
			change: func(s *profileSpec) {
				s.Triggers[releaseAt].TimeoutSeconds, s.Triggers[releaseAt].OnFailure, s.Triggers[holdAt].Hold.Stage = ptr.To[int64](0), "Ignore", "Idle"
			},
			want: []string{
				`spec.triggers[1].hold.stage: Unsupported value: "Idle": supported values: "Cordon", "Drain"`,
				"spec.triggers[2].timeoutSeconds: Invalid value: 0: must be between 1 and 2592000, inclusive (30 days)",
				`spec.triggers[2].onFailure: Unsupported value: "Ignore": supported values: "Retry", "Abort"`,
			},
		},
		"a bad drain": {
			change: func(s *profileSpec) { s.Triggers[holdAt].Hold.Drain.TimeoutSeconds = ptr.To[int64](0) },
			want:   []string{"spec.triggers[1].hold.drain.timeoutSeconds: Invalid value: 0: must be between 1 and 2592000, inclusive (30 days)"},
		},
		"no drain, no stage": {change: func(s *profileSpec) { *s.Triggers[holdAt].Hold = v1beta1.HoldTrigger{} }},
		"no job": {
			change: func(s *profileSpec) { *s.Triggers[jobAt].Job = v1beta1.JobTrigger{} },
			want: []string{
				"spec.triggers[3].job.namespace: Required value: must be the namespace of the CronJob, where the Job is created, too",
				"spec.triggers[3].job.cronJob: Required value: must be the name of a CronJob with spec.suspend true",
			},
		},
		"no job that reboots": {
			change: func(s *profileSpec) { *s.Triggers[rebootAt].Reboot.Job = v1beta1.JobTrigger{Namespace: "Ops"} },
			want: []string{
				`spec.triggers[6].reboot.job.namespace: Invalid value: "Ops": a lowercase RFC 1123 label must consist of lower case alphanumeric characters ` +
					`or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
				"spec.triggers[6].reboot.job.cronJob: Required value: must be the name of a CronJob with spec.suspend true",
			},
		},
		"somebody else reboots": {change: func(s *profileSpec) { s.Triggers[rebootAt].Reboot.Job = nil }},
		"an empty patch": {
			change: func(s *profileSpec) { *s.Triggers[patchNodeAt].PatchNode = v1beta1.PatchNodeTrigger{} },
			want: []string{"spec.triggers[0].patchNode: Required value: must change something: labels, annotations, removeLabels, removeAnnotations, " +
				"addFinalizers or removeFinalizers"},
		},
		"our own marks": {
			change: func(s *profileSpec) {
				patch := s.Triggers[patchNodeAt].PatchNode
				patch.Labels = map[string]string{"remediation.medik8s.io/exclude-from-remediation": "true"}
				patch.RemoveLabels, patch.RemoveAnnotations = []string{"cloud.sap/maintenance-state"}, []string{"maintenance.medik8s.io/holds"}
				patch.AddFinalizers, patch.RemoveFinalizers = nil, []string{"maintenance.medik8s.io/detach"}
			},
			want: []string{
				"spec.triggers[0].patchNode.labels[remediation.medik8s.io/exclude-from-remediation]: Forbidden: is a mark of the server itself, which only it changes",
				"spec.triggers[0].patchNode.removeLabels[0]: Forbidden: is a mark of the server itself, which only it changes",
				"spec.triggers[0].patchNode.removeAnnotations[0]: Forbidden: is a mark of the server itself, which only it changes",
				"spec.triggers[0].patchNode.removeFinalizers[0]: Forbidden: is a mark of the server itself, which only it changes",
			},
		},
		"set and removed": {
			change: func(s *profileSpec) { s.Triggers[patchNodeAt].PatchNode.RemoveLabels = []string{"e", "a", "e"} },
			want: []string{
				`spec.triggers[0].patchNode.removeLabels[2]: Duplicate value: "e"`, `spec.triggers[0].patchNode.removeLabels[1]: Invalid value: "a": must not be in labels, too`,
			},
		},
		"a finalizer without a domain": {
			change: func(s *profileSpec) { s.Triggers[patchNodeAt].PatchNode.AddFinalizers = []string{"mine"} },
			want:   []string{`spec.triggers[0].patchNode.addFinalizers[0]: Invalid value: "mine": must have a domain, such as example.com/disk-in-use`},
		},
		"many keys": {
			change: func(s *profileSpec) { s.Triggers[patchNodeAt].PatchNode.RemoveLabels = make([]string, 65) },
			want:   []string{"spec.triggers[0].patchNode.removeLabels: Too many: 65: must have at most 64 items"},
		},
	})
}

func TestProfileNotifiers(t *testing.T) {
	const address = `must be the address of a mailbox, such as ops@example.com or "Maintenance <noreply@example.com>"`
	testProfiles(t, map[string]badProfile{
		"two kinds": {
			change: func(s *profileSpec) { s.Notifiers[slackAt].Webhook = s.Notifiers[noticeAt].Webhook },
			want:   []string{`spec.notifiers[0]: Invalid value: "slack, webhook": must have exactly one of: slack, slackThread, mail, webhook`},
		},
		"channels": {
			change: func(s *profileSpec) {
				s.Notifiers[slackAt].Slack.Channel, s.Notifiers[threadAt].SlackThread.Channel, s.Notifiers[threadAt].SlackThread.PeriodSeconds = "", "#a b", 0
			},
			want: []string{
				"spec.notifiers[0].slack.channel: Required value: must be a channel of Slack, such as #maintenance, or its ID",
				`spec.notifiers[1].slackThread.channel: Invalid value: "#a b": must not have spaces or line breaks`,
				"spec.notifiers[1].slackThread.periodSeconds: Invalid value: 0: must be between 60 and 31536000, inclusive",
			},
		},
		"addresses": {
			change: func(s *profileSpec) {
				s.Notifiers[mailAt].Mail.From, s.Notifiers[mailAt].Mail.To = "", []string{"a@example.com", "ops", "a@example.com", "a@b\r\nBcc: c@d"}
			},
			want: []string{
				"spec.notifiers[2].mail.from: Required value: " + address, `spec.notifiers[2].mail.to[1]: Invalid value: "ops": ` + address,
				`spec.notifiers[2].mail.to[2]: Duplicate value: "a@example.com"`, `spec.notifiers[2].mail.to[3]: Invalid value: "a@b\r\nBcc: c@d": ` + address,
			},
		},
		"nobody": {
			change: func(s *profileSpec) { s.Notifiers[mailAt].Mail.To = nil },
			want:   []string{"spec.notifiers[2].mail.to: Required value: must have an address at least"},
		},
		"everybody": {
			change: func(s *profileSpec) { s.Notifiers[mailAt].Mail.To = make([]string, 33) },
			want:   []string{"spec.notifiers[2].mail.to: Too many: 33: must have at most 32 items"},
		},
		"how": {
			change: func(s *profileSpec) { s.Notifiers[slackAt].Dedupe, s.Notifiers[slackAt].Delivery = "All", "Once" },
			want: []string{
				`spec.notifiers[0].dedupe: Unsupported value: "All": supported values: "Profile", "Node"`,
				`spec.notifiers[0].delivery: Unsupported value: "Once": supported values: "AtLeastOnce", "AtMostOnce"`,
			},
		},
	})
}
