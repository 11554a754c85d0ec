// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package sapimport

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTriggers(t *testing.T) {
	for name, test := range map[string]struct {
		config, want, wantTold string
		force                  bool
	}{
		"alterLabel": {
			config: "type: alterLabel\nconfig: {key: cloud.sap/esx-reboot-ok, value: \"true\", remove: false}",
			want:   "patchNode: {labels: {cloud.sap/esx-reboot-ok: \"true\"}}",
		},
		"alterLabel without value": {
			config: "type: alterLabel\nconfig: {key: a}",
			want:   "patchNode: {labels: {a: \"\"}}",
		},
		"alterLabel, remove": {
			config: "type: alterLabel\nconfig: {key: a, remove: true}",
			want:   "patchNode: {removeLabels: [a]}",
		},
		"alterAnnotation": {
			config: "type: alterAnnotation\nconfig: {key: a, value: some text}",
			want:   "patchNode: {annotations: {a: some text}}",
		},
		"alterAnnotation, remove": {
			config:   "type: alterAnnotation\nconfig: {key: a, value: b, remove: yes}",
			want:     "patchNode: {removeAnnotations: [a]}",
			wantTold: "7 instances.trigger[t].config.remove changed: kept as written; the controller reads it as true\n7 instances.trigger[t].config.value dropped: the key is removed, whatever its value",
		},
		"alterFinalizer": {
			config: "type: alterFinalizer\nconfig: {key: example.com/busy}",
			want:   "patchNode: {addFinalizers: [example.com/busy]}",
		},
		"alterFinalizer, remove": {
			config: "type: alterFinalizer\nconfig: {key: example.com/busy, remove: true}",
			want:   "patchNode: {removeFinalizers: [example.com/busy]}",
		},
		"alterHypervisor": {
			config: "type: alterHypervisor\nconfig: {maintenance: manual, lifecycleEnabled: false}",
			want: "patchObject: {apiVersion: kvm.cloud.sap/v1, resource: hypervisors, nameExpression: node.metadata.name, " +
				"patchExpression: '{\"spec\": {\"maintenance\": \"manual\", \"lifecycleEnabled\": false}}'}",
		},
		"eviction, cordon": {
			config: "type: eviction\nconfig: {action: cordon}",
			want:   "hold: {stage: Cordon}",
		},
		"eviction, drain": {
			config: "type: eviction\nconfig: {action: drain}",
			want:   "hold: {stage: Drain}",
		},
		"eviction, drain with timeouts": {
			config: "type: eviction\nconfig: {action: drain, evictionTimeout: 5m, deletionTimeout: 2m}",
			want:   "hold: {stage: Drain, drain: {timeoutSeconds: 300}}",
			wantTold: "7 instances.trigger[t].config.deletionTimeout dropped: the controller ignores it, too: each pod has its own grace period\n" +
				"7 instances.trigger[t].config.evictionTimeout changed: after it, the drain is reported as failed and goes on; the controller ignores it",
		},
		"eviction, force": {
			config: "type: eviction\nconfig: {action: drain, forceEviction: true}",
			want:   "hold: {stage: Drain, drain: {onTimeout: Report}}",
			wantTold: "7 instances.trigger[t].config.forceEviction changed: no pod is deleted regardless of its disruption budgets, " +
				"as with the controller's later versions; --allow-force has such pods deleted after evictionTimeout",
		},
		"eviction, force that is allowed": {
			config: "type: eviction\nconfig: {action: drain, forceEviction: true}",
			force:  true,
			want:   "hold: {stage: Drain, drain: {onTimeout: Delete, timeoutSeconds: 600}}",
			wantTold: "7 instances.trigger[t].config.forceEviction changed: after 600 seconds, pods are deleted regardless of their disruption budgets; " +
				"whoever applies the profile needs the verb force on nodes/maintenance",
		},
		"eviction, uncordon": {
			config: "type: eviction\nconfig: {action: uncordon}",
			want:   "release: {}",
			wantTold: "7 instances.trigger[t].config.action changed: gives back what the profile itself has taken out of service; " +
				"a node that was cordoned before, or by somebody else, stays so",
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := translated(t, withTrigger(test.config), func(o *Options) { o.AllowForce = test.force })
			if diff := cmp.Diff(test.wantTold, told(&result.Report)); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			if len(result.Profiles) != 1 || len(result.Profiles[0].Spec.Triggers) != 1 {
				t.Fatalf("profiles %s, want one with one trigger", asYAML(t, result.Profiles))
			}
			wantSame(t, test.want, result.Profiles[0].Spec.Triggers[0])
		})
	}
}

func TestWrongTriggers(t *testing.T) {
	for name, test := range map[string]struct{ config, want string }{
		"unknown action":            {"type: eviction\nconfig: {action: evict}", "config.action CANNOT BE MAPPED: must be cordon, uncordon or drain"},
		"mark of the server":        {"type: alterLabel\nconfig: {key: cloud.sap/maintenance-state, value: operational}", "config.key CANNOT BE MAPPED: is a mark of this server"},
		"value that no label has":   {"type: alterLabel\nconfig: {key: a, value: b c}", "config.value CANNOT BE MAPPED"},
		"finalizer without domain":  {"type: alterFinalizer\nconfig: {key: busy}", "config.key CANNOT BE MAPPED: must have a domain"},
		"hypervisor, unknown field": {"type: alterHypervisor\nconfig: {maintenanceMode: manual}", "config.maintenanceMode CANNOT BE MAPPED: is no flag or text in the spec of a Hypervisor, which has: createCert"},
		"hypervisor without field":  {"type: alterHypervisor\nconfig: {}", "config CANNOT BE MAPPED: must change a field"},
		"remove that is no verdict": {"type: alterLabel\nconfig: {key: a, remove: 3}", "config.remove CANNOT BE MAPPED: must be true or false"},
	} {
		t.Run(name, func(t *testing.T) {
			result := translated(t, withTrigger(test.config))
			if got := told(&result.Report); !strings.Contains(got, test.want) {
				t.Errorf("report:\n%s\nwant it to have: %s", got, test.want)
			}
			if len(result.Profiles) > 0 {
				t.Error("the profile is there, want it left out")
			}
		})
	}
}
