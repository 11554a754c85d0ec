// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package integrations

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/pager"
)

// Nodes reads nodes from the API server, and marks them.
type Nodes struct {
	client typedcorev1.NodeInterface
}

// NewNodes returns Nodes of a cluster.
func NewNodes(kube kubernetes.Interface) Nodes { return Nodes{client: kube.CoreV1().Nodes()} }

// List returns the nodes that the selector selects, by name, as they are now: the drainer's cache has no annotations.
func (n Nodes) List(ctx context.Context, selector string) (map[string]*corev1.Node, error) {
	nodes := map[string]*corev1.Node{}
	list := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return n.client.List(ctx, options)
	})
	err := list.EachListItem(ctx, metav1.ListOptions{LabelSelector: selector}, func(object runtime.Object) error {
		node := object.(*corev1.Node)
		nodes[node.Name] = node
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("could not list the nodes: %w", err)
	}
	return nodes, nil
}

// Marks are labels and annotations by their keys.
type Marks struct {
	// Labels and Annotations are what is to be set.
	Labels, Annotations map[string]string
	// Without are the keys of annotations that are to be removed.
	Without []string
}

// Mark sets and removes labels and annotations of the node. It makes no request if they are already so, and fails if
// another node has the name by now.
func (n Nodes) Mark(ctx context.Context, node *corev1.Node, marks Marks) error {
	labels, annotations := different(node.Labels, marks.Labels), different(node.Annotations, marks.Annotations)
	for _, key := range marks.Without {
		if _, found := node.Annotations[key]; found {
			annotations[key] = nil
		}
	}
	if len(labels)+len(annotations) == 0 {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": node.UID, "labels": labels, "annotations": annotations,
	}})
	if err != nil {
		return fmt.Errorf("could not encode the marks of node %s: %w", node.Name, err)
	}
	patched, err := n.client.Patch(ctx, node.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("could not mark the node: %w", err)
	}
	*node = *patched
	return nil
}

// different returns what of the wanted values is not so.
func different(have, want map[string]string) map[string]any {
	changes := map[string]any{}
	for key, value := range want {
		if present, found := have[key]; !found || present != value {
			changes[key] = value
		}
	}
	return changes
}
