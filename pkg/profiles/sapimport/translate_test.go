// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestExamples translates whole configurations, and compares manifests and report with golden files.
func TestExamples(t *testing.T) {
	for _, name := range examples {
		t.Run(name, func(t *testing.T) {
			result := example(t, name)
			for _, entry := range result.Report.Entries() {
				if strings.Contains(strings.Join(entry.Details, " "), "taken over") {
					t.Errorf("%+v: a detail has the words of a result, by which people filter", entry)
				}
			}
			if lost := result.Report.Count(Unmapped); lost > 0 {
				t.Errorf("%d keys cannot be mapped:\n%s", lost, told(&result.Report))
			}
			manifests, err := result.Manifests()
			if err != nil {
				t.Fatal(err)
			}
			wantValid(t, manifests)
			wantGolden(t, name+".manifests.yaml", string(manifests))
			wantGolden(t, name+".report.txt", told(&result.Report)+"\n")
		})
	}
}

func wantGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestProfiles(t *testing.T) {
	const instances = "instances:\n  check:\n  - {name: a-b, type: nodeCount, config: {count: 1}}\n  - {name: \"true\", type: nodeCount, config: {count: 2}}\n" +
		"  trigger:\n  - {name: t-1, type: eviction, config: {action: cordon}}\n  - {name: u, type: eviction, config: {action: drain}}\n"
	for name, test := range map[string]struct {
		profiles string
		// want is the profile as YAML without its checks and triggers; empty: there is none.
		want, wantTold string
	}{
		"names": {
			profiles: "- name: My.Profile\n  operational:\n    transitions:\n    - {check: \"!a-b||true\", next: in-maintenance, trigger: t-1&&u}",
			want: "{alias: My.Profile, nodes: {byLabel: true}, states: {operational: {transitions: [" +
				"{name: to_in_maintenance, check: '!a_b||_true', triggers: [t_1, u], next: InMaintenance}]}}}",
			wantTold: "profiles[My.Profile].name changed: the object is named my-profile; the alias keeps the name",
		},
		"default": {
			profiles: "- name: default\n  maintenance-required: {enter: u}",
			want:     "{nodes: {byLabel: true, unlabelled: true}, states: {maintenanceRequired: {enter: [u]}}}",
			wantTold: "profiles[default].name taken over: selects the nodes whose label has no profile, too",
		},
		"self-edge": {
			profiles: "- name: p\n  operational:\n    transitions:\n    - {check: true, next: operational}\n    - {check: true, next: maintenance-required}",
			want:     "{nodes: {byLabel: true}, states: {operational: {transitions: [{name: to_maintenance_required, check: _true, next: MaintenanceRequired}]}}}",
			wantTold: "profiles[p].operational.transitions[0] dropped: it leads from a state to the same one",
		},
		"same next, other triggers": {
			profiles: "- name: p\n  operational:\n    transitions:\n    - {check: true, next: in-maintenance, trigger: t-1}\n    - {check: a-b, next: in-maintenance, trigger: u}",
			want: "{nodes: {byLabel: true}, states: {operational: {transitions: [{name: to_in_maintenance, check: _true, triggers: [t_1], next: InMaintenance}, " +
				"{name: to_in_maintenance_2, check: a_b, triggers: [u], next: InMaintenance}]}}}",
			wantTold: "transitions[1] changed: the controller runs the triggers of the first transition to the same state",
		},
		"misspelled state": {
			profiles: "- name: p\n  inmaintenance: {enter: u}",
			want:     "{nodes: {byLabel: true}}",
			wantTold: "profiles[p].inmaintenance dropped: the controller does not know this key",
		},
		"later of the same name": {
			profiles: "- name: p\n- name: p\n  operational: {enter: u}",
			want:     "{nodes: {byLabel: true}, states: {operational: {enter: [u]}}}",
			wantTold: "profiles[p].name dropped: another profile of the same name comes later",
		},
		"later of the name of a wrong one": {
			profiles: "- name: p\n  operational: {enter: none}\n- name: p\n  operational: {enter: u}",
			want:     "{nodes: {byLabel: true}, states: {operational: {enter: [u]}}}",
			wantTold: "profiles[p].operational.enter CANNOT BE MAPPED",
		},
		"unknown check":       {profiles: "- name: p\n  operational:\n    transitions:\n    - {check: nope, next: in-maintenance}", wantTold: `check CANNOT BE MAPPED: there is no check "nope"`},
		"wrong chain":         {profiles: "- name: p\n  operational:\n    transitions:\n    - {check: true && (a-b, next: in-maintenance}", wantTold: "check CANNOT BE MAPPED"},
		"no chain":            {profiles: "- name: p\n  operational:\n    transitions:\n    - {check: \"\", next: in-maintenance}", wantTold: "check CANNOT BE MAPPED: must be set"},
		"unknown next":        {profiles: "- name: p\n  operational:\n    transitions:\n    - {check: true, next: bogus}", wantTold: "next CANNOT BE MAPPED: must be operational"},
		"or between triggers": {profiles: "- name: p\n  operational: {enter: t-1 || u}", wantTold: `enter CANNOT BE MAPPED: there is no "t-1 || u"`},
		"name with separator": {profiles: "- name: a--b", wantTold: "profiles[a--b].name CANNOT BE MAPPED: no node can have this profile"},
		"no name":             {profiles: "- operational: {enter: u}", wantTold: "profiles[0].name CANNOT BE MAPPED: must be set"},
	} {
		t.Run(name, func(t *testing.T) {
			result := translated(t, instances+"profiles:\n"+test.profiles+"\n")
			if got := told(&result.Report); !strings.Contains(got, test.wantTold) {
				t.Errorf("report:\n%s\nwant it to have: %s", got, test.wantTold)
			}
			if test.want == "" {
				if len(result.Profiles) > 0 {
					t.Errorf("got %s, want it left out", asYAML(t, result.Profiles))
				}
				return
			}
			if len(result.Profiles) != 1 {
				t.Fatalf("got %s, want one", asYAML(t, result.Profiles))
			}
			spec := result.Profiles[0].Spec
			spec.Checks, spec.Triggers, spec.NodeGoneSeconds = nil, nil, nil
			wantSame(t, test.want, spec)
		})
	}
}

// A name that is cut stays one that an object can have.
func TestLongNames(t *testing.T) {
	n := &names{taken: map[string]bool{}}
	long := strings.Repeat("a", dnsLabelLength-1) + ".b"
	for _, want := range []string{strings.Repeat("a", dnsLabelLength-1), strings.Repeat("a", dnsLabelLength-2) + "-2"} {
		if got := n.dns(long); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The controller sends once the triggers of enter are done; here, a notification does not wait for a drain.
func TestNotifyBesideADrain(t *testing.T) {
	const instances = "instances:\n  trigger:\n  - {name: drain, type: eviction, config: {action: drain}}\n  - {name: cordon, type: eviction, config: {action: cordon}}\n" +
		"  notify:\n  - {name: n, type: slack, config: {hook: \"https://s.example.com/x\", channel: c, message: m}, schedule: {type: oneshot, config: {}}}\n"
	const want = "profiles[p].in-maintenance.notify changed: is sent when the state is entered; the controller sends it once the node is drained"
	for name, test := range map[string]struct {
		state string
		want  bool
	}{
		"drain":               {"{enter: cordon && drain, notify: n}", true},
		"cordon":              {"{enter: cordon, notify: n}", false},
		"nothing on entering": {"{notify: n}", false},
	} {
		t.Run(name, func(t *testing.T) {
			result := translated(t, instances+"profiles:\n- name: p\n  in-maintenance: "+test.state+"\n")
			if got := told(&result.Report); strings.Contains(got, want) != test.want {
				t.Errorf("report:\n%s\nit has the line: %t, want %t: %s", got, !test.want, test.want, want)
			}
		})
	}
}

// A deleted node frees its place at once, as with the controller.
func TestNodeGone(t *testing.T) {
	result := translated(t, "profiles:\n- name: p\n")
	if got := ptr.Deref(result.Profiles[0].Spec.NodeGoneSeconds, -1); got != 0 {
		t.Errorf("nodeGoneSeconds is %d, want 0", got)
	}
}

func TestAffinityElsewhere(t *testing.T) {
	result := translated(t, "instances:\n  check:\n  - {name: a, type: affinity}\nprofiles:\n- name: p\n  operational:\n    transitions:\n    - {check: a, next: in-maintenance}\n")
	if got, want := told(&result.Report), "a is of the type affinity, which ends in an error in any state but maintenance-required"; !strings.Contains(got, want) {
		t.Errorf("report:\n%s\nwant it to have: %s", got, want)
	}
}

func TestOtherKeys(t *testing.T) {
	result := translated(t, `intervals: {requeue: 60s, notify: 5h}
dashboard: {labelFilter: [zone, rack]}
instances:
  check:
  - {name: a, type: nodeCount, config: {count: 1, cuont: 2}}
  - {name: a, type: nodeCount, config: {count: 2}}
extra: {more: [{most: 1}]}
`)
	want := `1 intervals.notify dropped: the controller ignores it: schedules say when notifiers send
1 intervals.requeue dropped: nothing is evaluated because time is over: changes wake the profiles that ask for them
2 dashboard.labelFilter changed: set it with the flag --sap-info-labels of the server, beside --sap-info
5 instances.check[a].config dropped: another instance of the same name comes later, and the controller uses that one
5 instances.check[a].config.count dropped: another instance of the same name comes later, and the controller uses that one
5 instances.check[a].config.cuont dropped: the controller does not know this key and ignores it; look for a typing error
5 instances.check[a].name dropped: another instance of the same name comes later, and the controller uses that one
5 instances.check[a].type dropped: another instance of the same name comes later, and the controller uses that one
6 instances.check[a (2)].config dropped: no profile uses it
6 instances.check[a (2)].config.count dropped: no profile uses it
6 instances.check[a (2)].name dropped: no profile uses it
6 instances.check[a (2)].type dropped: no profile uses it
7 extra dropped: the controller does not know this key and ignores it; look for a typing error
7 extra.more dropped: the controller does not know this key and ignores it; look for a typing error
7 extra.more[0].most dropped: the controller does not know this key and ignores it; look for a typing error`
	if diff := cmp.Diff(want, told(&result.Report)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"zone", "rack"}, result.InfoLabels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

// How often the controller looks at a node is how often servers are asked here.
func TestRequeue(t *testing.T) {
	const polls = "instances:\n  check:\n  - {name: c, type: prometheusInstant, config: {url: \"https://p.example.com\", query: up, expr: value == 1}}\n" +
		"profiles:\n- name: p\n  operational:\n    transitions:\n    - {check: c, next: in-maintenance}\n"
	for name, test := range map[string]struct {
		intervals string
		want      int64
		wantTold  string
	}{
		"none":        {"", 0, ""},
		"minutes":     {"intervals: {requeue: 2m}\n", 120, "intervals.requeue changed: how often checks ask"},
		"number":      {"intervals: {requeue: 45}\n", 45, "intervals.requeue changed"},
		"too often":   {"intervals: {requeue: 100ms}\n", 5, "intervals.requeue changed"},
		"no duration": {"intervals: {requeue: often}\n", 0, "intervals.requeue dropped"},
	} {
		t.Run(name, func(t *testing.T) {
			result := translated(t, test.intervals+polls)
			if got := told(&result.Report); !strings.Contains(got, test.wantTold) {
				t.Errorf("report:\n%s\nwant it to have: %s", got, test.wantTold)
			}
			if got := ptr.Deref(result.Profiles[0].Spec.Checks[0].Prometheus.IntervalSeconds, 0); got != test.want {
				t.Errorf("every %d seconds, want %d", got, test.want)
			}
		})
	}
}

func TestIntegrations(t *testing.T) {
	result := translated(t, "profiles: []\n", func(o *Options) {
		o.ESX = File{"esx.yaml", []byte("intervals:\n  check: {period: 5m, jitter: 0.1}\n  podDeletion: {period: 5s, timeout: 2m}\nalarms: [x]\nvCenters: {templateUrl: x}\nvcenters: {}\n")}
		o.Kubernikus = File{"kubernikus.yaml", []byte("intervals:\n  requeue: 30s\n")}
	})
	want := `1 intervals changed
2 intervals.check changed
2 intervals.check.jitter dropped: 10% is added to the interval by chance
2 intervals.check.period changed: not a profile, but an integration of the server has it: set the chart's values integrations.vsphere.enabled and interval
3 intervals.podDeletion dropped
3 intervals.podDeletion.period dropped: a hold drains the node, which knows the progress, and gives up no pod
3 intervals.podDeletion.timeout dropped: a hold drains the node, which knows the progress, and gives up no pod
4 alarms changed: not a profile, but an integration of the server has it: set the chart's values integrations.vsphere.enabled and alarms
5 vCenters changed
5 vCenters.templateUrl changed: not a profile, but an integration of the server has it: set the chart's values integrations.vsphere.enabled and url
6 vcenters dropped: the controller does not know this key and ignores it; look for a typing error
1 intervals changed: not a profile, but an integration of the server sets cloud.sap/kubelet-needs-update and deletes servers: set the chart's values integrations.kubernikus.enabled and cloudConfigSecret
2 intervals.requeue changed: not a profile, but an integration of the server has it: set the chart's value ` +
		"integrations.kubernikus.interval to the time between two looks at all nodes, 30s by default"
	if diff := cmp.Diff(want, told(&result.Report)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for name, test := range map[string]struct{ config, want string }{
		"empty":         {"", "maintenance.yaml is empty"},
		"no YAML":       {"a: [b\n", "could not read maintenance.yaml: yaml: line 1"},
		"no mapping":    {"- a\n", "maintenance.yaml must be a mapping"},
		"two documents": {"a: 1\n---\nb: 2\n", "maintenance.yaml has more than one document"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Translate(Options{Config: File{"maintenance.yaml", []byte(test.config)}})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestStrictKeys(t *testing.T) {
	result := translated(t, "base: &base {a: 1}\nintervals: {<<: *base, requeue: 1s}\nprofiles: []\nprofiles: []\ninstances: [a]\n")
	got := told(&result.Report)
	for _, want := range []string{
		"2 intervals.<< CANNOT BE MAPPED: merged keys",
		"4 profiles CANNOT BE MAPPED: the key is there twice, first in line 3",
		"5 instances CANNOT BE MAPPED: must be a mapping",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("report:\n%s\nwant it to have: %s", got, want)
		}
	}
}
