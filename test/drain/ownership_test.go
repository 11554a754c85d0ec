// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// ownTaint is the taint that a maintenance sets.
const ownTaint = v1beta1.DrainTaint + ":NoSchedule"

func TestOnlyWhatWeSetIsUndone(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		// before and during are patches of the node.
		before, during string
		// wantTaints and wantLabel are those of interest afterwards.
		wantUnschedulable bool
		wantTaints        []string
		wantLabel         string
	}{
		"nothing there before": {},
		"cordoned before": {
			before:            `{"spec":{"unschedulable":true}}`,
			wantUnschedulable: true,
			wantTaints:        []string{"node.kubernetes.io/unschedulable:NoSchedule"},
		},
		"foreign taint": {
			before:     `{"spec":{"taints":[{"key":"example.com/gpu","value":"a","effect":"NoSchedule"}]}}`,
			wantTaints: []string{"example.com/gpu=a:NoSchedule"},
		},
		"our taint there before": {
			before:     `{"spec":{"taints":[{"key":"medik8s.io/drain","effect":"NoSchedule"}]}}`,
			wantTaints: []string{ownTaint},
		},
		"our taint's key with another effect": {
			before:     `{"spec":{"taints":[{"key":"medik8s.io/drain","effect":"PreferNoSchedule"}]}}`,
			wantTaints: []string{v1beta1.DrainTaint + ":PreferNoSchedule"},
		},
		"label with another value": {
			before:    `{"metadata":{"labels":{"remediation.medik8s.io/exclude-from-remediation":"false"}}}`,
			wantLabel: "false",
		},
		"label there before": {
			before:    `{"metadata":{"labels":{"remediation.medik8s.io/exclude-from-remediation":"true"}}}`,
			wantLabel: "true",
		},
		"foreign label and annotation that came during": {
			during: `{"metadata":{"labels":{"test-foreign":"here"},"annotations":{"test-foreign":"here"}}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t, 1)
			node := p.Nodes[0]
			if test.before != "" {
				p.patchNode(t, node, test.before)
			}
			before := p.Node(t, node)
			first := p.drain(t, "first", node)
			second := p.drain(t, "second", node) // learns it from the first
			p.wantHeld(t, node)
			p.wantNodeBefore(t, second, before)
			if test.during != "" {
				p.patchNode(t, node, test.during)
			}
			p.Delete(t, first.Name)
			p.Delete(t, second.Name)

			after := p.Node(t, node)
			if after.Spec.Unschedulable != test.wantUnschedulable {
				t.Errorf("unschedulable is %t, want %t", after.Spec.Unschedulable, test.wantUnschedulable)
			}
			p.waitForTaints(t, node, test.wantTaints)
			if label := after.Labels[v1beta1.ExcludeFromRemediationLabel]; label != test.wantLabel {
				t.Errorf("the label has the value %q, want %q", label, test.wantLabel)
			}
			if _, found := after.Annotations[v1beta1.HoldsAnnotation]; found {
				t.Error("the annotation is left on the node")
			}
			if test.during != "" && (after.Labels["test-foreign"] == "" || after.Annotations["test-foreign"] == "") {
				t.Error("a foreign label or annotation was taken off")
			}
		})
	}
}

// wantNodeBefore compares what a hold has written down with what the node was like.
func (p *pool) wantNodeBefore(t *testing.T, hold *v1beta1.NodeMaintenance, node *corev1.Node) {
	t.Helper()
	before := hold.Status.NodeBefore
	if before == nil {
		t.Fatal("nothing was written down of what the node was like")
	}
	label, had := node.Labels[v1beta1.ExcludeFromRemediationLabel]
	noted, hasNoted := before.Labels[v1beta1.ExcludeFromRemediationLabel]
	if before.Unschedulable != node.Spec.Unschedulable || label != noted || had != hasNoted {
		t.Errorf("nodeBefore is %+v, want what the node was like: unschedulable %t, label %q", before, node.Spec.Unschedulable, label)
	}
}

// waitForTaints waits for the node lifecycle controller, which sets and removes
// a taint of its own.
func (p *pool) waitForTaints(t *testing.T, node string, want []string) {
	t.Helper()
	env.Eventually(t, "taints of node "+node, func(context.Context) string {
		var got []string
		for _, taint := range p.Node(t, node).Spec.Taints {
			got = append(got, taint.ToString())
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			return fmt.Sprintf("they are %v, want %v", got, want)
		}
		return ""
	})
}

func TestForeignNodeConditionIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := newPool(t, 1)
	node := p.Nodes[0]
	const foreign = `{"status":{"conditions":[{"type":"MaintenanceInProgress","status":"False","reason":"Firmware","message":"done"}]}}`
	_, err := p.Kube.CoreV1().Nodes().Patch(t.Context(), node, types.StrategicMergePatchType, []byte(foreign), metav1.PatchOptions{}, "status")
	if err != nil {
		t.Fatal(err)
	}
	hold := p.drain(t, "a", node)
	p.waitForNodeConditions(t, node, map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeMaintenanceInProgress: corev1.ConditionFalse, // is somebody else's
		corev1.NodeDrainInProgress:       corev1.ConditionFalse,
		corev1.NodeDrained:               corev1.ConditionTrue,
	})
	p.Delete(t, hold.Name)
	p.waitForNodeConditions(t, node, map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeMaintenanceInProgress: corev1.ConditionFalse,
	})
}
