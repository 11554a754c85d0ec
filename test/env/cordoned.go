// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"fmt"
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
	nodes := p.WatchNodes(t)
	counted := make(chan int)
	go func() { counted <- mostCordoned(nodes) }()
	t.Cleanup(func() {
		nodes.Stop()
		if got := <-counted; got != want {
			t.Errorf("at most %d nodes were cordoned at the same time, want %d", got, want)
		}
	})
}

// WaitForCordoned waits until so many of the pool's nodes are unschedulable at the same time.
func (p *Pool) WaitForCordoned(t *testing.T, want int) {
	t.Helper()
	Eventually(t, fmt.Sprintf("%d nodes are cordoned", want), func(ctx context.Context) string {
		nodes, err := p.Kube.CoreV1().Nodes().List(ctx, p.selected())
		if err != nil {
			return err.Error()
		}
		cordoned := 0
		for i := range nodes.Items {
			if nodes.Items[i].Spec.Unschedulable {
				cordoned++
			}
		}
		if cordoned != want {
			return fmt.Sprintf("%d are", cordoned)
		}
		return ""
	})
}

// WatchNodes tells of each change of the pool's nodes, until the caller stops it.
func (p *Pool) WatchNodes(t *testing.T) watch.Interface {
	t.Helper()
	nodes, err := p.Kube.CoreV1().Nodes().Watch(t.Context(), p.selected())
	if err != nil {
		t.Fatalf("could not watch nodes: %v", err)
	}
	return nodes
}

// selected selects the pool's nodes.
func (p *Pool) selected() metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: PoolLabel + "=" + p.Name}
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
