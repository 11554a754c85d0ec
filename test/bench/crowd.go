// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// imagesOfNode is how many images a kubelet reports: by far the largest part
	// of a Node.
	imagesOfNode = 50
	// podsOfNamespace spreads the crowd's pods over namespaces, each with a budget.
	podsOfNamespace = 500
)

// crowd is a large cluster around what is drained: nodes and pods that nobody
// touches. Nothing removes it: it is the last that is measured.
type crowd struct{ nodes, pods int }

// create makes the nodes and spreads the pods over them.
func (c crowd) create(ctx context.Context, b *bench) error {
	nodes := make([]string, c.nodes)
	for i := range nodes {
		nodes[i] = fmt.Sprintf("bystander-%d", i)
	}
	err := inParallel(nodes, setUpParallel, func(name string) error {
		_, err := b.kube.CoreV1().Nodes().Create(ctx, crowdNode(name), metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("could not create the crowd's nodes: %w", err)
	}
	for first := 0; first < c.pods; first += podsOfNamespace {
		if err := c.createPods(ctx, b, nodes, first, min(first+podsOfNamespace, c.pods)); err != nil {
			return err
		}
		b.logf("crowd: %d of %d pods", min(first+podsOfNamespace, c.pods), c.pods)
	}
	return nil
}

func (c crowd) createPods(ctx context.Context, b *bench, nodes []string, from, to int) error {
	w := &workload{kube: b.kube, namespace: b.namespace("crowd")}
	if err := w.createNamespace(ctx); err != nil {
		return err
	}
	a := app{name: "crowd", maxUnavailable: 1}
	if err := w.createBudget(ctx, &a); err != nil {
		return err
	}
	for i := from; i < to; i++ {
		a.nodes = append(a.nodes, nodes[i%len(nodes)])
	}
	pods := w.pods(&a)
	for _, pod := range pods {
		pod.Spec.NodeSelector = nil
	}
	return w.createReady(ctx, pods)
}

// crowdNode is Ready from the start, which spares the simulated kubelets a write.
func crowdNode(name string) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}},
		Spec:       corev1.NodeSpec{PodCIDR: "10.0.0.0/24", ProviderID: "test:///" + name},
	}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now()}}
	for i := range imagesOfNode {
		repository := fmt.Sprintf("registry.example.com/team-%d/component-%d", i%7, i)
		node.Status.Images = append(node.Status.Images, corev1.ContainerImage{
			Names:     []string{fmt.Sprintf("%s@sha256:%064d", repository, i), repository + ":v1.2.3"},
			SizeBytes: int64(i) << 20,
		})
	}
	return node
}
