// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

// marksOn lists what a node carries of its maintenance; "" for nothing.
func marksOn(node *corev1.Node) string {
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

// wantClean waits until nothing of a maintenance is left on any node of the pool.
func wantClean(t *testing.T, pool *env.Pool) {
	t.Helper()
	for _, name := range pool.Nodes {
		wantCleanNode(t, pool, name)
	}
}

// wantCleanNode waits until nothing of a maintenance is left on a node. The taint
// that follows spec.unschedulable goes a moment later than the rest.
func wantCleanNode(t *testing.T, pool *env.Pool, name string) {
	t.Helper()
	env.Eventually(t, "node "+name+" is given back", func(ctx context.Context) string {
		node, err := pool.Kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		return marksOn(node)
	})
}

// wantCordoned waits until a node carries every mark of a cordon.
func wantCordoned(t *testing.T, pool *env.Pool, name string) *corev1.Node {
	t.Helper()
	var node *corev1.Node
	env.Eventually(t, "node "+name+" is cordoned", func(ctx context.Context) string {
		var err error
		if node, err = pool.Kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err.Error()
		}
		if !cordoned(node) {
			return "it carries only " + marksOn(node)
		}
		return ""
	})
	return node
}

// cordoned tells whether a node carries every mark of a cordon.
func cordoned(node *corev1.Node) bool {
	_, annotated := node.Annotations[v1beta1.HoldsAnnotation]
	return node.Spec.Unschedulable && annotated && node.Labels[v1beta1.ExcludeFromRemediationLabel] == "true" &&
		slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == v1beta1.DrainTaint })
}
