// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/medik8s/maintenance-apiserver/hack/localcluster"
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
	err := inParallel(w.pods(&a), setUpParallel, func(pod *corev1.Pod) error {
		pod.Spec.NodeSelector = nil
		created, err := w.kube.CoreV1().Pods(w.namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		runs(created)
		_, err = w.kube.CoreV1().Pods(w.namespace).UpdateStatus(ctx, created, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("could not create the crowd's pods: %w", err)
	}
	return nil
}

// runs has the pod report what a kubelet would.
func runs(pod *corev1.Pod) {
	now := metav1.Now()
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &now}
	for _, condition := range []corev1.PodConditionType{corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: now})
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: pod.Spec.Containers[0].Name, Image: pod.Spec.Containers[0].Image, Ready: true, Started: new(true),
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
	}}
}

// crowdNode is Ready, and no kubelet speaks for it: the simulated ones would have no time for
// anything else.
func crowdNode(name string) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", localcluster.KubeletLabel: localcluster.KubeletStopped,
		}},
		Spec: corev1.NodeSpec{PodCIDR: "10.0.0.0/24", ProviderID: "test:///" + name},
	}
	now := metav1.Now()
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: now, LastTransitionTime: now}}
	for i := range imagesOfNode {
		repository := fmt.Sprintf("registry.example.com/team-%d/component-%d", i%7, i)
		node.Status.Images = append(node.Status.Images, corev1.ContainerImage{
			Names:     []string{fmt.Sprintf("%s@sha256:%064d", repository, i), repository + ":v1.2.3"},
			SizeBytes: int64(i) << 20,
		})
	}
	return node
}
