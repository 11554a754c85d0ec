// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package drain

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// marksOn lists what a node carries of a maintenance.
func marksOn(node *corev1.Node) []string {
	var marks []string
	if node.Spec.Unschedulable {
		marks = append(marks, "unschedulable")
	}
	if slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1beta1.DrainTaint }) {
		marks = append(marks, "taint")
	}
	if node.Labels[v1beta1.ExcludeFromRemediationLabel] == "true" {
		marks = append(marks, "label")
	}
	if _, found := node.Annotations[v1beta1.HoldsAnnotation]; found {
		marks = append(marks, "annotation")
	}
	return marks
}

var allMarks = []string{"unschedulable", "taint", "label", "annotation"}

// wantHeld checks that a node is cordoned, with all marks.
func (p *pool) wantHeld(t *testing.T, node string) {
	t.Helper()
	if marks := marksOn(p.Node(t, node)); !slices.Equal(marks, allMarks) {
		t.Errorf("node %s has only %s, want it held", node, joined(marks))
	}
}

// wantGivenBack checks that nothing is left of a maintenance.
func (p *pool) wantGivenBack(t *testing.T, node string) {
	t.Helper()
	if marks := marksOn(p.Node(t, node)); len(marks) > 0 {
		t.Errorf("node %s still has %s, want it given back", node, joined(marks))
	}
}

func joined(words []string) string { return strings.Join(words, ", ") }
