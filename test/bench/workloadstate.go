// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/kubectl/pkg/util/podutils"
)

// readyInterval is how often a workload that is being made ready is looked at.
const readyInterval = 200 * time.Millisecond

// waitPodsReady waits until the pods are Ready.
func (w *workload) waitPodsReady(ctx context.Context, pods []*corev1.Pod) error {
	err := wait.PollUntilContextCancel(ctx, readyInterval, true, func(ctx context.Context) (bool, error) {
		list, err := w.kube.CoreV1().Pods(w.namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		ready := 0
		for i := range list.Items {
			if podutils.IsPodReady(&list.Items[i]) {
				ready++
			}
		}
		return ready == len(pods), nil
	})
	if err != nil {
		return fmt.Errorf("could not wait for pods in %s: %w", w.namespace, err)
	}
	return nil
}

// waitReady waits until every ReplicaSet has its pods, all of which are where
// they were put, and every budget has counted them.
func (w *workload) waitReady(ctx context.Context) error {
	wrong := ""
	err := wait.PollUntilContextCancel(ctx, readyInterval, true, func(ctx context.Context) (bool, error) {
		var err error
		wrong, err = w.notReady(ctx)
		return wrong == "", err
	})
	if err != nil {
		return fmt.Errorf("could not wait for workload in %s, %s: %w", w.namespace, wrong, err)
	}
	return nil
}

// notReady says what is not ready; "" when all is.
func (w *workload) notReady(ctx context.Context) (string, error) {
	sets, err := w.kube.AppsV1().ReplicaSets(w.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("could not list ReplicaSets: %w", err)
	}
	for i := range sets.Items {
		set := &sets.Items[i]
		if set.Status.ReadyReplicas != *set.Spec.Replicas || set.Status.Replicas != *set.Spec.Replicas {
			return "ReplicaSet " + set.Name, nil
		}
	}
	budgets, err := w.kube.PolicyV1().PodDisruptionBudgets(w.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("could not list PodDisruptionBudgets: %w", err)
	}
	replicas := map[string]int{}
	for i := range w.apps {
		replicas[w.apps[i].name] = len(w.apps[i].nodes)
	}
	for i := range budgets.Items {
		budget := &budgets.Items[i]
		if int(budget.Status.CurrentHealthy) != replicas[budget.Name] || int(budget.Status.ExpectedPods) != replicas[budget.Name] {
			return "PodDisruptionBudget " + budget.Name, nil
		}
	}
	return "", w.checkPlacement(ctx)
}

// checkPlacement fails when a pod is not one of those that were put on their
// nodes: then the tools would not meet the same.
func (w *workload) checkPlacement(ctx context.Context) error {
	list, err := w.kube.CoreV1().Pods(w.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("could not list pods: %w", err)
	}
	put := sets.New[string]()
	for i := range w.apps {
		for _, pod := range w.pods(&w.apps[i]) {
			put.Insert(pod.Name)
		}
	}
	for i := range list.Items {
		if !put.Has(list.Items[i].Name) {
			return fmt.Errorf("pod %s was started by its ReplicaSet before the drain", list.Items[i].Name)
		}
	}
	return nil
}

// remove deletes the workload at once, without grace. The namespace stays:
// the namespace controller's work would go on beside the next measurement.
func (w *workload) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, setUpTimeout)
	defer cancel()
	background := metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)}
	if err := w.kube.AppsV1().ReplicaSets(w.namespace).DeleteCollection(ctx, background, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("could not delete ReplicaSets: %w", err)
	}
	if err := w.kube.PolicyV1().PodDisruptionBudgets(w.namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("could not delete PodDisruptionBudgets: %w", err)
	}
	atOnce := metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		sets, err := w.kube.AppsV1().ReplicaSets(w.namespace).List(ctx, metav1.ListOptions{})
		if err != nil || len(sets.Items) > 0 {
			return false, err
		}
		if err := w.kube.CoreV1().Pods(w.namespace).DeleteCollection(ctx, atOnce, metav1.ListOptions{}); err != nil {
			return false, err
		}
		pods, err := w.kube.CoreV1().Pods(w.namespace).List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil && len(pods.Items) == 0, err
	})
	if err != nil {
		return fmt.Errorf("could not remove workload in %s: %w", w.namespace, err)
	}
	return nil
}
