// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/watch"
)

// WantMostCordoned checks at the test's end how many of the pool's nodes were unschedulable at the same time, at
// most. kube-apiserver tells of each change, whatever became of our server.
func (p *Pool) WantMostCordoned(t *testing.T, want int) {
	t.Helper()
	nodes, err := p.Kube.CoreV1().Nodes().Watch(t.Context(), metav1.ListOptions{LabelSelector: PoolLabel + "=" + p.Name})
	if err != nil {
		t.Fatalf("could not watch nodes: %v", err)
	}
	counted := make(chan int)
	go func() { counted <- mostCordoned(nodes) }()
	t.Cleanup(func() {
		nodes.Stop()
		if got := <-counted; got != want {
			t.Errorf("at most %d nodes were cordoned at the same time, want %d", got, want)
		}
	})
}

// mostCordoned counts until the watch ends.
func mostCordoned(nodes watch.Interface) (most int) {
	cordoned := sets.New[string]()
	for event := range nodes.ResultChan() {
		node, isNode := event.Object.(*corev1.Node)
		switch {
		case !isNode:
		case event.Type != watch.Deleted && node.Spec.Unschedulable:
			cordoned.Insert(node.Name)
		default:
			cordoned.Delete(node.Name)
		}
		most = max(most, cordoned.Len())
	}
	return most
}
