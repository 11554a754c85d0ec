// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

const (
	appLabel = "app"
	// noBudget is in the place of a maxUnavailable.
	noBudget = -1
	// poolLabel keeps a case's pods to its own nodes.
	poolLabel = "bench-pool"
	// setUpParallel is how many requests at a time set up and remove a workload.
	setUpParallel = 32
	setUpTimeout  = 10 * time.Minute
	pollInterval  = 20 * time.Millisecond
)

// app is a ReplicaSet, its pods, and its budget.
type app struct {
	name string
	// nodes has for each replica the node on which it starts. What replaces it
	// goes where the scheduler says.
	nodes []string
	// maxUnavailable is that of its budget; noBudget: there is none.
	maxUnavailable int
}

// desired is how many healthy pods the app's budget asks for; 0 without a budget.
func (a *app) desired() int {
	if a.maxUnavailable == noBudget {
		return 0
	}
	return len(a.nodes) - a.maxUnavailable
}

// workload is what is drained: apps in a namespace of their own, on a case's own nodes.
type workload struct {
	kube      kubernetes.Interface
	namespace string
	pool      string
	apps      []app
	// requests is what each pod asks for; nil: nothing.
	requests corev1.ResourceList
}

// spread puts equally many pods on each of the nodes, in an order that the seed
// alone decides: every tool of a round meets the same placement.
func spread(s size, nodes []string, maxUnavailable int, seed uint64) []app {
	slots := make([]int, 0, s.apps*s.replicas)
	for i := range s.apps * s.replicas {
		slots = append(slots, i%s.apps)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
	apps := make([]app, s.apps)
	for i := range apps {
		apps[i] = app{name: fmt.Sprintf("app%d", i), maxUnavailable: maxUnavailable}
	}
	for i, slot := range slots {
		apps[slot].nodes = append(apps[slot].nodes, nodes[i%s.used])
	}
	return apps
}

// create starts the workload and returns when all of it is ready and counted by
// its budgets. The pods come first: a ReplicaSet whose controller has not seen
// them yet would start others.
func (w *workload) create(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, setUpTimeout)
	defer cancel()
	if err := w.createNamespace(ctx); err != nil {
		return err
	}
	if err := w.createPods(ctx); err != nil {
		return err
	}
	for i := range w.apps {
		if err := w.createControllers(ctx, &w.apps[i]); err != nil {
			return err
		}
	}
	return w.waitReady(ctx)
}

// createPods returns when the pods are Ready.
func (w *workload) createPods(ctx context.Context) error {
	var pods []*corev1.Pod
	for i := range w.apps {
		pods = append(pods, w.pods(&w.apps[i])...)
	}
	err := inParallel(pods, setUpParallel, func(pod *corev1.Pod) error {
		_, err := w.kube.CoreV1().Pods(w.namespace).Create(ctx, pod, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return fmt.Errorf("could not create pods: %w", err)
	}
	return w.waitPodsReady(ctx, pods)
}

// createNamespace waits for the ServiceAccount without which no pod is admitted.
func (w *workload) createNamespace(ctx context.Context) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}
	if _, err := w.kube.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("could not create namespace %s: %w", w.namespace, err)
	}
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		_, err := w.kube.CoreV1().ServiceAccounts(w.namespace).Get(ctx, "default", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("could not wait for namespace %s to be usable: %w", w.namespace, err)
	}
	return nil
}

// pods are the app's first pods. They are bound to their nodes already, and
// their ReplicaSet adopts them.
func (w *workload) pods(a *app) []*corev1.Pod {
	pods := make([]*corev1.Pod, 0, len(a.nodes))
	for i, node := range a.nodes {
		template := w.template(a)
		template.Spec.NodeName = node
		pods = append(pods, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", a.name, i), Labels: template.Labels},
			Spec:       template.Spec,
		})
	}
	return pods
}

func (w *workload) template(a *app) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{appLabel: a.name}},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name: "main", Image: "simulated", Resources: corev1.ResourceRequirements{Requests: w.requests},
			}},
			NodeSelector: map[string]string{poolLabel: w.pool},
		},
	}
}

func (w *workload) createControllers(ctx context.Context, a *app) error {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{appLabel: a.name}}
	set := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: a.name},
		Spec:       appsv1.ReplicaSetSpec{Replicas: new(int32(len(a.nodes))), Selector: selector, Template: w.template(a)},
	}
	if _, err := w.kube.AppsV1().ReplicaSets(w.namespace).Create(ctx, set, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("could not create ReplicaSet %s: %w", a.name, err)
	}
	if a.maxUnavailable == noBudget {
		return nil
	}
	return w.createBudget(ctx, a)
}

func (w *workload) createBudget(ctx context.Context, a *app) error {
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: a.name},
		Spec: policyv1.PodDisruptionBudgetSpec{
			Selector:       &metav1.LabelSelector{MatchLabels: map[string]string{appLabel: a.name}},
			MaxUnavailable: new(intstr.FromInt(a.maxUnavailable)),
		},
	}
	if _, err := w.kube.PolicyV1().PodDisruptionBudgets(w.namespace).Create(ctx, budget, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("could not create PodDisruptionBudget %s: %w", a.name, err)
	}
	return nil
}
