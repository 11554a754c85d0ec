// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

func validNodeMaintenance() *v1beta1.NodeMaintenance {
	return &v1beta1.NodeMaintenance{
		ObjectMeta: metav1.ObjectMeta{Name: "worker-3-disk"},
		Spec: v1beta1.NodeMaintenanceSpec{
			NodeName:  "worker-3.example.com",
			Reason:    "disk replacement",
			Requestor: "alice",
			Stage:     v1beta1.StageDrain,
			Drain: v1beta1.DrainSpec{
				PodSelector:        &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
				GracePeriodSeconds: ptr.To[int64](1),
				TimeoutSeconds:     ptr.To[int64](2592000),
				OnTimeout:          v1beta1.OnTimeoutReport,
				UnmanagedPods:      v1beta1.PolicyEvict,
				EmptyDirPods:       v1beta1.PolicyBlock,
			},
		},
	}
}

var defaultDrain = v1beta1.DrainSpec{
	OnTimeout: v1beta1.OnTimeoutReport, UnmanagedPods: v1beta1.PolicyEvict, EmptyDirPods: v1beta1.PolicyEvict,
}

// withRules makes a change that sets the drain's rules.
func withRules(rules ...v1beta1.DrainRule) func(*v1beta1.NodeMaintenanceSpec) {
	return func(s *v1beta1.NodeMaintenanceSpec) { s.Drain.Rules = rules }
}

// The specs that a create and an update refuse alike.
var badSpecs = map[string]struct {
	change func(*v1beta1.NodeMaintenanceSpec)
	want   string
}{
	"reason too long": {
		change: func(s *v1beta1.NodeMaintenanceSpec) { s.Reason = strings.Repeat("é", 1025) },
		want:   "spec.reason: Too long: may not be more than 1024 characters",
	},
	"reason with a bell": {
		change: func(s *v1beta1.NodeMaintenanceSpec) { s.Reason = "new disk\a" },
		want:   `spec.reason: Invalid value: "new disk\a": must not have the control character BEL (U+0007), which is at position 9`,
	},
	"reason of two lines": {
		change: func(s *v1beta1.NodeMaintenanceSpec) { s.Reason = "new\ndisk" },
		want:   `spec.reason: Invalid value: "new\ndisk": must not have the control character LF (U+000A, a new line), which is at position 4`,
	},
	"reason in another order": {
		change: func(s *v1beta1.NodeMaintenanceSpec) { s.Reason = "a\u202eb" },
		want:   `spec.reason: Invalid value: "a\u202eb": must not have the invisible character RIGHT-TO-LEFT OVERRIDE (U+202E), which is at position 2`,
	},
	"stage unknown": {
		change: func(s *v1beta1.NodeMaintenanceSpec) { s.Stage = "drain" },
		want:   `spec.stage: Unsupported value: "drain": supported values: "Idle", "Cordon", "Drain"`,
	},
	"grace period zero": {
		change: func(s *v1beta1.NodeMaintenanceSpec) { s.Drain.GracePeriodSeconds = ptr.To[int64](0) },
		want:   "spec.drain.gracePeriodSeconds: Invalid value: 0: must be between 1 and 2592000, inclusive (30 days)",
	},
	"grace period negative": {
		change: func(s *v1beta1.NodeMaintenanceSpec) { s.Drain.GracePeriodSeconds = ptr.To[int64](-1) },
		want:   "spec.drain.gracePeriodSeconds: Invalid value: -1: must be between 1 and 2592000, inclusive (30 days)",
	},
	"timeout over 30 days": {
		change: func(s *v1beta1.NodeMaintenanceSpec) { s.Drain.TimeoutSeconds = ptr.To[int64](2592001) },
		want:   "spec.drain.timeoutSeconds: Invalid value: 2592001: must be between 1 and 2592000, inclusive (30 days)",
	},
	"timeout action unknown": {
		change: func(s *v1beta1.NodeMaintenanceSpec) { s.Drain.OnTimeout = "Kill" },
		want:   `spec.drain.onTimeout: Unsupported value: "Kill": supported values: "Report", "Delete"`,
	},
	"delete without a timeout": {
		change: func(s *v1beta1.NodeMaintenanceSpec) {
			s.Drain.OnTimeout, s.Drain.TimeoutSeconds = v1beta1.OnTimeoutDelete, nil
		},
		want: "spec.drain.timeoutSeconds: Required value: must be set with onTimeout: Delete, which deletes pods after that time",
	},
	"policy for unmanaged pods unknown": {
		change: func(s *v1beta1.NodeMaintenanceSpec) { s.Drain.UnmanagedPods = "Skip" },
		want:   `spec.drain.unmanagedPods: Unsupported value: "Skip": supported values: "Evict", "Block"`,
	},
	"policy for emptyDir pods unknown": {
		change: func(s *v1beta1.NodeMaintenanceSpec) { s.Drain.EmptyDirPods = "block" },
		want:   `spec.drain.emptyDirPods: Unsupported value: "block": supported values: "Evict", "Block"`,
	},
	"rule without an action": {
		change: withRules(v1beta1.DrainRule{Order: 1}),
		want:   "spec.drain.rules[0].action: Required value: must be Drain, Skip or WaitCompleted",
	},
	"rule with an unknown action": {
		change: withRules(v1beta1.DrainRule{Action: v1beta1.ActionSkip}, v1beta1.DrainRule{Action: "Evict"}),
		want:   `spec.drain.rules[1].action: Unsupported value: "Evict": supported values: "Drain", "Skip", "WaitCompleted"`,
	},
	"rule that orders what it skips": {
		change: withRules(v1beta1.DrainRule{Action: v1beta1.ActionSkip, Order: 1}),
		want:   "spec.drain.rules[0].order: Invalid value: 1: may be set only with action Drain, not with Skip",
	},
	"rule with a bad pod selector": {
		change: withRules(v1beta1.DrainRule{Action: v1beta1.ActionSkip, PodSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Is"}},
		}}),
		want: `spec.drain.rules[0].podSelector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator`,
	},
	"rule with a bad namespace selector": {
		change: withRules(v1beta1.DrainRule{Action: v1beta1.ActionSkip, NamespaceSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Is"}},
		}}),
		want: `spec.drain.rules[0].namespaceSelector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator`,
	},
	"rule for an annotation with a bad name": {
		change: withRules(v1beta1.DrainRule{PodAnnotations: map[string]string{"a/b/c": "x"}, Action: v1beta1.ActionSkip}),
		want: `spec.drain.rules[0].podAnnotations: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, ` +
			`'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', ` +
			`regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' ` +
			`(e.g. 'example.com/MyName')`,
	},
	"rule for a long annotation": {
		change: withRules(v1beta1.DrainRule{
			PodAnnotations: map[string]string{"example.com/fits": strings.Repeat("x", 256), "example.com/long": strings.Repeat("x", 257)},
			Action:         v1beta1.ActionSkip,
		}),
		want: "spec.drain.rules[0].podAnnotations[example.com/long]: Too long: may not be more than 256 bytes",
	},
	"too many rules": {
		change: withRules(slices.Repeat([]v1beta1.DrainRule{{Action: v1beta1.ActionSkip}}, 65)...),
		want:   "spec.drain.rules: Too many: 65: must have at most 64 items",
	},
	"selector operator unknown": {
		change: func(s *v1beta1.NodeMaintenanceSpec) {
			s.Drain.PodSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: "app", Operator: "Is", Values: []string{"web"}},
			}}
		},
		want: `spec.drain.podSelector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator`,
	},
	"selector without values": {
		change: func(s *v1beta1.NodeMaintenanceSpec) {
			s.Drain.PodSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: "app", Operator: metav1.LabelSelectorOpIn},
			}}
		},
		want: "spec.drain.podSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
	},
	"selector key invalid": {
		change: func(s *v1beta1.NodeMaintenanceSpec) {
			s.Drain.PodSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"a b": "web"}}
		},
		want: `spec.drain.podSelector.matchLabels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
	},
}

func TestBadSpecs(t *testing.T) {
	for name, test := range badSpecs {
		t.Run(name, func(t *testing.T) {
			nm := validNodeMaintenance()
			test.change(&nm.Spec)
			wantErrors(t, ValidateNodeMaintenance(nm), test.want)
			wantErrors(t, ValidateNodeMaintenanceUpdate(nm, validNodeMaintenance()), test.want)
		})
	}
}

const notSubdomain = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ` +
	`and must start and end with an alphanumeric character (e.g. 'example.com', ` +
	`regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`

func TestValidateNodeMaintenance(t *testing.T) {
	tests := map[string]struct {
		change func(*v1beta1.NodeMaintenance)
		want   []string
	}{
		"valid": {change: func(*v1beta1.NodeMaintenance) {}},
		"drain settings left at their defaults": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Spec.Drain = defaultDrain },
		},
		"longest of everything": {
			change: func(nm *v1beta1.NodeMaintenance) {
				nm.Spec.NodeName = strings.Repeat("a", 253)
				nm.Spec.Reason = strings.Repeat("é", 1024)
			},
		},
		"status is not looked at": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Status.DrainProgress = ptr.To[int32](300) },
		},
		"name not a subdomain": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Name = "Worker" },
			want:   []string{`metadata.name: Invalid value: "Worker": ` + notSubdomain},
		},
		"resource version": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.ResourceVersion = "5" },
			want:   []string{"metadata.resourceVersion: Forbidden: must not be set on a new object"},
		},
		"node name missing": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Spec.NodeName = "" },
			want:   []string{"spec.nodeName: Required value: must name the node to take out of service"},
		},
		"node name too long": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Spec.NodeName = strings.Repeat("a", 254) },
			want:   []string{"spec.nodeName: Too long: may not be more than 253 bytes"},
		},
		"node name with a slash": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Spec.NodeName = "a/b" },
			want:   []string{`spec.nodeName: Invalid value: "a/b": ` + notSubdomain},
		},
		"requestor missing": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Spec.Requestor = "" },
			want:   []string{"spec.requestor: Required value: must be the user who makes the request"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm := validNodeMaintenance()
			test.change(nm)
			wantErrors(t, ValidateNodeMaintenance(nm), test.want...)
		})
	}
}

func TestValidateNodeMaintenanceUpdate(t *testing.T) {
	tests := map[string]struct {
		change func(*v1beta1.NodeMaintenance)
		want   []string
	}{
		"changeable fields": {
			change: func(nm *v1beta1.NodeMaintenance) {
				nm.Spec.Reason, nm.Spec.Stage = "", v1beta1.StageIdle
				nm.Spec.Drain = defaultDrain
			},
		},
		"node name": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Spec.NodeName = "worker-4" },
			want: []string{`spec.nodeName: Invalid value: "worker-4": field is immutable: must stay "worker-3.example.com"; ` +
				`for another node create another NodeMaintenance`},
		},
		"requestor": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Spec.Requestor = "bob" },
			want: []string{`spec.requestor: Invalid value: "bob": field is immutable: must stay "alice", ` +
				`the user who created this NodeMaintenance`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm := validNodeMaintenance()
			test.change(nm)
			wantErrors(t, ValidateNodeMaintenanceUpdate(nm, validNodeMaintenance()), test.want...)
		})
	}
}

// What another version has stored, and this one would refuse, keeps nobody from changing the rest, nor the server
// from letting the object end. Anything else that is wrong is refused as ever.
func TestUpdateOfWhatAnotherVersionStored(t *testing.T) {
	stored := func(stage v1beta1.MaintenanceStage) *v1beta1.NodeMaintenance {
		nm := validNodeMaintenance()
		nm.Spec.Stage = stage
		nm.Spec.Drain = defaultDrain
		nm.Spec.Drain.Rules = []v1beta1.DrainRule{{Action: "Migrate"}}
		return nm
	}
	tests := map[string]struct {
		change func(*v1beta1.NodeMaintenance)
		want   []string
	}{
		"the finalizer goes": {change: func(nm *v1beta1.NodeMaintenance) { nm.Finalizers = nil }},
		"another field":      {change: func(nm *v1beta1.NodeMaintenance) { nm.Spec.Reason = "other" }},
		"the stage is mended": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Spec.Stage = v1beta1.StageIdle },
		},
		"another unknown stage": {
			change: func(nm *v1beta1.NodeMaintenance) { nm.Spec.Stage = "Rest" },
			want:   []string{`spec.stage: Unsupported value: "Rest": supported values: "Idle", "Cordon", "Drain"`},
		},
		"one more unknown action": {
			change: func(nm *v1beta1.NodeMaintenance) {
				nm.Spec.Drain.Rules = append(nm.Spec.Drain.Rules, v1beta1.DrainRule{Action: "Migrate"})
			},
			want: []string{`spec.drain.rules[1].action: Unsupported value: "Migrate": supported values: "Drain", "Skip", "WaitCompleted"`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nm := stored("Quiesce")
			test.change(nm)
			wantErrors(t, ValidateNodeMaintenanceUpdate(nm, stored("Quiesce")), test.want...)
		})
	}
}

// A hold that was stored with such a reason can still be changed.
func TestStoredReasonIsNotValidatedAgain(t *testing.T) {
	old := validNodeMaintenance()
	old.Spec.Reason = "new\ndisk"
	changed := old.DeepCopy()
	changed.Spec.Stage = v1beta1.StageCordon
	wantErrors(t, ValidateNodeMaintenanceUpdate(changed, old))
}

// wantErrors compares the texts, since users see them.
func wantErrors(t *testing.T, got field.ErrorList, want ...string) {
	t.Helper()
	var texts []string
	for _, err := range got {
		texts = append(texts, err.Error())
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("errors differ (-want +got):\n%s", diff)
	}
}
