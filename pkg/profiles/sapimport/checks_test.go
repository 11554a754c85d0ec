// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChecks(t *testing.T) {
	for name, test := range map[string]struct {
		config string
		// want is the check, without its name.
		want string
		// wantTold is what the report says besides that keys were taken over.
		wantTold string
	}{
		"hasAnnotation": {
			config: "type: hasAnnotation\nconfig: {key: cloud.sap/approved, value: \"true\"}",
			want:   "nodeAnnotation: {key: cloud.sap/approved, value: \"true\"}",
		},
		"hasAnnotation, any value": {
			config: "type: hasAnnotation\nconfig: {key: cloud.sap/approved, value: \"\"}",
			want:   "nodeAnnotation: {key: cloud.sap/approved}",
		},
		"hasLabel": {
			config: "type: hasLabel\nconfig: {key: cloud.sap/esx-in-maintenance, value: alarm}",
			want:   "nodeLabel: {key: cloud.sap/esx-in-maintenance, value: alarm}",
		},
		"anyLabel": {
			config: "type: anyLabel\nconfig: {key: freeze}",
			want:   "anyNode: {key: freeze}",
		},
		"condition": {
			config: "type: condition\nconfig: {type: Ready, status: \"True\"}",
			want:   "nodeCondition: {type: Ready, status: \"True\"}",
		},
		"condition, status not quoted": {
			config:   "type: condition\nconfig: {type: Ready, status: True}",
			want:     "nodeCondition: {type: Ready, status: \"True\"}",
			wantTold: "5 instances.check[c].config.status changed: kept as written; the controller reads it as true",
		},
		"clusterSemver": {
			config: "type: clusterSemver\nconfig: {key: os-version}",
			want:   "clusterVersion: {labelKey: os-version, scope: Cluster, parse: Strict}",
		},
		"clusterSemver of the profile": {
			config: "type: clusterSemver\nconfig: {key: os-version, profileScoped: true}",
			want:   "clusterVersion: {labelKey: os-version, scope: Profile, parse: Strict}",
		},
		"maxMaintenance": {
			config:   "type: maxMaintenance\nconfig: {max: 2, profile: other, groupBy: [zone, rack], groupLabel: row, skipAfter: 90m}",
			want:     "maxInMaintenance: {max: 2, profile: other, groupBy: [zone, rack, row], skipAfterSeconds: 5400}",
			wantTold: "5 instances.check[c].config.groupLabel changed: is in groupBy",
		},
		"stagger": {
			config:   "type: stagger\nconfig: {duration: 8m, leaseName: step, leaseNamespace: kube-system, parallel: 2}",
			want:     "stagger: {pool: kube-system/step, seconds: 480, parallel: 2}",
			wantTold: "5 instances.check[c].config.leaseName changed: the pool kube-system/step instead of Leases, which can be deleted once the controller is gone",
		},
		"stagger below a second": {
			config: "type: stagger\nconfig: {duration: 500ms, leaseName: step, leaseNamespace: kube-system}",
			want:   "stagger: {pool: kube-system/step, seconds: 1}",
			wantTold: "5 instances.check[c].config.duration changed: rounded up to 1s\n" +
				"5 instances.check[c].config.leaseName changed: the pool kube-system/step instead of Leases, which can be deleted once the controller is gone",
		},
		"timeWindow": {
			config: "type: timeWindow\nconfig: {start: 9:00, end: \"15:20\", weekdays: [monday, TUE], exclude: [Dec 24, \"Feb 29\"]}",
			want:   "timeWindow: {start: \"09:00\", end: \"15:20\", weekdays: [Mon, Tue], excludeDates: [\"12-24\", \"02-29\"]}",
		},
		"wait": {
			config: "type: wait\nconfig: {duration: 12m}",
			want:   "wait: {seconds: 720}",
		},
		"waitExclude": {
			config:   "type: waitExclude\nconfig: {duration: 30h, exclude: [sat, sun]}",
			want:     "wait: {seconds: 108000, excludeWeekdays: [Sat, Sun]}",
			wantTold: "5 instances.check[c].config.exclude changed: an excluded day is left out once; the controller can subtract the present day twice",
		},
		"affinity": {
			config: "type: affinity\nconfig: {minOperational: 3}",
			want:   "podAffinity: {minOperational: 3}",
		},
		"affinity without config": {
			config: "type: affinity\nconfig: null",
			want:   "podAffinity: {}",
		},
		"nodeCount": {
			config: "type: nodeCount\nconfig: {count: 3}",
			want:   "nodeCount: {min: 3}",
		},
		"prometheusInstant": {
			config:   "type: prometheusInstant\nconfig: {url: \"https://prometheus.example.com\", query: max(up), expr: value <= 1 && value > .5}",
			want:     "prometheus: {endpoint: prometheus-c, query: max(up), expression: value <= 1.0 && value > 0.5}",
			wantTold: "5 instances.check[c].config.expr changed: in CEL: value <= 1.0 && value > 0.5",
		},
		"kubernikusCount": {
			config: "type: kubernikusCount\nconfig: {cluster: k-test, cloudProviderSecret: {name: cloud-config, namespace: kube-system}}",
			want: "http: {endpoint: kubernikus, path: /api/v1/clusters/k-test, expression: \"response.status == 200 && " +
				"nodeCount >= response.json.spec.nodePools.map(p, int(p.size)).sum()\"}",
			wantTold: "5 instances.check[c].config.cloudProviderSecret changed: the Secret of the endpoint is made from the file that --cloud-provider-conf names",
		},
		"checkHypervisor": {
			config: "type: checkHypervisor\nconfig: {evicted: true, libVirtVersion: \"8\"}",
			want: "object: {apiVersion: kvm.cloud.sap/v1, resource: hypervisors, nameExpression: node.metadata.name, missing: Error, " +
				"expression: 'object.?status.?evicted.orValue(false) == true && object.?status.?libVirtVersion.orValue(\"\") == \"8\"'}",
		},
		"hypervisorCondition": {
			config: "type: hypervisorCondition\nconfig: {type: Ready, status: \"False\"}",
			want: "object: {apiVersion: kvm.cloud.sap/v1, resource: hypervisors, nameExpression: node.metadata.name, missing: Error, " +
				"expression: 'object.?status.?conditions.orValue([]).exists(c, c.type == \"Ready\" && c.status == \"False\")'}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := translated(t, withCheck(test.config), func(o *Options) {
				o.CloudProvider = File{"cloudprovider.conf", []byte("[Global]\nregion=\"qa-de-1\"\n")}
			})
			if diff := cmp.Diff(test.wantTold, told(&result.Report)); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			if len(result.Profiles) != 1 || len(result.Profiles[0].Spec.Checks) != 1 {
				t.Fatalf("profiles %s, want one with one check", asYAML(t, result.Profiles))
			}
			wantSame(t, test.want, result.Profiles[0].Spec.Checks[0])
		})
	}
}

func TestWrongChecks(t *testing.T) {
	for name, test := range map[string]struct{ config, want string }{
		"unknown type":               {"type: HasLabel\nconfig: {key: a}", "4 instances.check[c].type CANNOT BE MAPPED: there is no check of this type; upper and lower case matter"},
		"no config":                  {"type: hasLabel", "3 instances.check[c].config CANNOT BE MAPPED: must be set: the controller stops without it"},
		"no key":                     {"type: hasLabel\nconfig: {value: a}", "5 instances.check[c].config.key CANNOT BE MAPPED: must be set"},
		"key that no label has":      {"type: hasLabel\nconfig: {key: a b}", "5 instances.check[c].config.key CANNOT BE MAPPED: name part must consist of"},
		"status that no one has":     {"type: condition\nconfig: {type: Ready, status: ready}", "config.status CANNOT BE MAPPED: must be True, False or Unknown"},
		"max 0":                      {"type: maxMaintenance\nconfig: {max: 0}", "config.max CANNOT BE MAPPED: must be a whole number from 1"},
		"max below 0":                {"type: maxMaintenance\nconfig: {max: -1}", "config.max CANNOT BE MAPPED: must be a whole number from 1"},
		"parallel 0":                 {"type: stagger\nconfig: {duration: 1m, leaseName: a, leaseNamespace: b, parallel: 0}", "config.parallel CANNOT BE MAPPED"},
		"duration without unit":      {"type: wait\nconfig: {duration: 5}", "config.duration CANNOT BE MAPPED: must be a duration with units"},
		"days":                       {"type: wait\nconfig: {duration: 2d}", "config.duration CANNOT BE MAPPED: must be a duration with units"},
		"window over midnight":       {"type: timeWindow\nconfig: {start: \"22:00\", end: \"04:00\", weekdays: [mon]}", "config.end CANNOT BE MAPPED: must be after start"},
		"window without length":      {"type: timeWindow\nconfig: {start: \"10:00\", end: \"10:00\", weekdays: [mon]}", "config.end CANNOT BE MAPPED: must be after start"},
		"window without days":        {"type: timeWindow\nconfig: {start: \"10:00\", end: \"11:00\"}", "config.weekdays CANNOT BE MAPPED: must be set"},
		"time that is none":          {"type: timeWindow\nconfig: {start: \"24:00\", end: \"11:00\", weekdays: [mon]}", "config.start CANNOT BE MAPPED: must be a time"},
		"day that is none":           {"type: timeWindow\nconfig: {start: \"10:00\", end: \"11:00\", weekdays: [mon], exclude: [Feb 30]}", `config.exclude CANNOT BE MAPPED: "Feb 30" must be a day`},
		"weekday that is none":       {"type: waitExclude\nconfig: {duration: 1h, exclude: [someday]}", `config.exclude CANNOT BE MAPPED: "someday" is no weekday`},
		"all weekdays excluded":      {"type: waitExclude\nconfig: {duration: 1h, exclude: [mon, tue, wed, thu, fri, sat, sun]}", "must leave one day"},
		"operator of gval only":      {"type: prometheusInstant\nconfig: {url: \"https://p.example.com\", query: up, expr: value ** 2 > 1}", "config.expr CANNOT BE MAPPED"},
		"modulo":                     {"type: prometheusInstant\nconfig: {url: \"https://p.example.com\", query: up, expr: value % 2 == 0}", `config.expr CANNOT BE MAPPED: "% 2 == 0" has no counterpart in CEL`},
		"another variable":           {"type: prometheusInstant\nconfig: {url: \"https://p.example.com\", query: up, expr: x > 1}", "config.expr CANNOT BE MAPPED: x is not known"},
		"expression without verdict": {"type: prometheusInstant\nconfig: {url: \"https://p.example.com\", query: up, expr: value + 1}", "config.expr CANNOT BE MAPPED"},
		"own machine":                {"type: prometheusInstant\nconfig: {url: \"http://localhost:9090\", query: up, expr: value > 1}", "config.url CANNOT BE MAPPED: this server never calls its own machine"},
		"field of a wrong type":      {"type: checkHypervisor\nconfig: {evicted: \"yes\"}", "config.evicted CANNOT BE MAPPED: must be true or false"},
		"text that is a number":      {"type: checkHypervisor\nconfig: {libVirtVersion: 8}", "config.libVirtVersion CANNOT BE MAPPED: must be a text"},
		"field of the spec":          {"type: checkHypervisor\nconfig: {maintenance: manual}", "config.maintenance CANNOT BE MAPPED: is no flag or text in the status"},
		"variable that is not set":   {"type: hasLabel\nconfig: {key: \"${NONE}\"}", "config.key CANNOT BE MAPPED: the variable NONE is not set"},
		"list instead of a value":    {"type: hasLabel\nconfig: {key: [a]}", "config.key CANNOT BE MAPPED: must be a single value"},
	} {
		t.Run(name, func(t *testing.T) {
			result := translated(t, withCheck(test.config))
			if got := told(&result.Report); !strings.Contains(got, test.want) {
				t.Errorf("report:\n%s\nwant it to have: %s", got, test.want)
			}
			if len(result.Profiles) > 0 || result.Report.Count(Unmapped) == 0 {
				t.Errorf("%d profiles, want none that uses a wrong check", len(result.Profiles))
			}
		})
	}
}

func TestKubernikusNeedsCredentials(t *testing.T) {
	result := translated(t, withCheck("type: kubernikusCount\nconfig: {cluster: k}"))
	if got, want := told(&result.Report), "name the file cloudprovider.conf with --cloud-provider-conf"; !strings.Contains(got, want) {
		t.Errorf("report:\n%s\nwant it to have: %s", got, want)
	}
}
