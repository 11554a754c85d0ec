// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/test/env"
)

// marksOn lists what a node carries of its maintenance; "" for nothing.
func marksOn(node *corev1.Node) string { return env.MarksOn(node) }

// wantClean waits until nothing of a maintenance is left on any node of the pool.
func wantClean(t *testing.T, pool *env.Pool) {
	t.Helper()
	pool.WaitUntilClean(t)
}

// wantCleanNode waits until nothing of a maintenance is left on a node.
func wantCleanNode(t *testing.T, pool *env.Pool, name string) {
	t.Helper()
	pool.WaitUntilCleanNode(t, name)
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
func cordoned(node *corev1.Node) bool { return env.Cordoned(node) }
