// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// MarksOn lists what a node carries of its maintenance; "" for nothing.
func MarksOn(node *corev1.Node) string {
	var marks []string
	if node.Spec.Unschedulable {
		marks = append(marks, "unschedulable")
	}
	for _, taint := range node.Spec.Taints {
		marks = append(marks, "taint "+taint.ToString())
	}
	if value, found := node.Labels[v1beta1.ExcludeFromRemediationLabel]; found {
		marks = append(marks, "label "+v1beta1.ExcludeFromRemediationLabel+"="+value)
	}
	if value, found := node.Annotations[v1beta1.HoldsAnnotation]; found {
		marks = append(marks, "annotation "+value)
	}
	lifecycle := []corev1.NodeConditionType{corev1.NodeDrainInProgress, corev1.NodeDrained, corev1.NodeMaintenanceInProgress}
	for _, condition := range node.Status.Conditions {
		if slices.Contains(lifecycle, condition.Type) {
			marks = append(marks, fmt.Sprintf("condition %s=%s", condition.Type, condition.Status))
		}
	}
	return strings.Join(marks, ", ")
}

// WaitUntilClean waits until nothing of a maintenance is left on any node of the pool.
func (p *Pool) WaitUntilClean(t *testing.T) {
	t.Helper()
	for _, name := range p.Nodes {
		p.WaitUntilCleanNode(t, name)
	}
}

// WaitUntilCleanNode waits until nothing of a maintenance is left on a node. The taint
// that follows spec.unschedulable goes a moment later than the rest.
func (p *Pool) WaitUntilCleanNode(t *testing.T, name string) {
	t.Helper()
	Eventually(t, "node "+name+" is given back", func(ctx context.Context) string {
		node, err := p.Kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		return MarksOn(node)
	})
}

// Cordoned tells whether a node carries every mark of a cordon.
func Cordoned(node *corev1.Node) bool {
	_, annotated := node.Annotations[v1beta1.HoldsAnnotation]
	return node.Spec.Unschedulable && annotated && node.Labels[v1beta1.ExcludeFromRemediationLabel] == "true" &&
		slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == v1beta1.DrainTaint })
}
