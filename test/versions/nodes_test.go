// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/test/env"
)

func waitUntilGone(t *testing.T, pool *env.Pool, suffix string) {
	t.Helper()
	env.Eventually(t, "hold "+suffix+" ends", func(ctx context.Context) string {
		_, err := pool.Maintenance.MaintenanceV1beta1().NodeMaintenances().Get(ctx, pool.Name+"-"+suffix, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return ""
		}
		return fmt.Sprintf("it is there, or not known: %v", err)
	})
}

// waitUntilClean waits until no mark of the server is on a node.
func waitUntilClean(t *testing.T, pool *env.Pool, name string) {
	t.Helper()
	env.Eventually(t, "node "+name+" is given back", func(ctx context.Context) string {
		node, err := pool.Kube.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if _, annotated := node.Annotations[v1beta1.HoldsAnnotation]; annotated || drainTainted(node) {
			return fmt.Sprintf("it has the taints %v and the annotations %v", node.Spec.Taints, node.Annotations)
		}
		return ""
	})
}

func drainTainted(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == v1beta1.DrainTaint })
}
