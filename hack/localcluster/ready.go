// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/kubectl/pkg/util/podutils"
)

// WaitReady waits until every pod of the workload is Ready or has succeeded and
// every budget has counted them, for at most two minutes. It names the first
// object that is not.
func (w *Workload) WaitReady(ctx context.Context) error {
	waiting := errors.New("nothing was looked at")
	err := wait.PollUntilContextTimeout(ctx, readyInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		for _, object := range w.objects {
			ready, err := w.ready(ctx, object)
			if err != nil {
				return false, err
			}
			if !ready {
				waiting = fmt.Errorf("%T %s is not ready", object, object.GetName())
				return false, nil
			}
		}
		return true, nil
	})
	if wait.Interrupted(err) {
		err = errors.Join(err, waiting)
	}
	if err != nil {
		return fmt.Errorf("could not wait for workload in namespace %s: %w", w.namespace, err)
	}
	return nil
}

func (w *Workload) ready(ctx context.Context, declared object) (bool, error) {
	client, name := w.cluster.client, declared.GetName()
	switch declared.(type) {
	case *appsv1.Deployment:
		o, err := client.AppsV1().Deployments(w.namespace).Get(ctx, name, metav1.GetOptions{})
		return err == nil && deploymentReady(o), err
	case *appsv1.StatefulSet:
		o, err := client.AppsV1().StatefulSets(w.namespace).Get(ctx, name, metav1.GetOptions{})
		return err == nil && o.Status.ObservedGeneration >= o.Generation && o.Status.AvailableReplicas == *o.Spec.Replicas, err
	case *appsv1.DaemonSet:
		o, err := client.AppsV1().DaemonSets(w.namespace).Get(ctx, name, metav1.GetOptions{})
		return err == nil && daemonSetReady(o), err
	case *batchv1.Job:
		o, err := client.BatchV1().Jobs(w.namespace).Get(ctx, name, metav1.GetOptions{})
		return err == nil && jobReady(o), err
	case *corev1.Pod:
		o, err := client.CoreV1().Pods(w.namespace).Get(ctx, name, metav1.GetOptions{})
		return err == nil && podReady(o), err
	case *policyv1.PodDisruptionBudget:
		o, err := client.PolicyV1().PodDisruptionBudgets(w.namespace).Get(ctx, name, metav1.GetOptions{})
		return err == nil && budgetReady(o), err
	default:
		return true, nil
	}
}

func deploymentReady(d *appsv1.Deployment) bool {
	s := d.Status
	return s.ObservedGeneration >= d.Generation && s.AvailableReplicas == *d.Spec.Replicas && s.Replicas == *d.Spec.Replicas
}

func daemonSetReady(d *appsv1.DaemonSet) bool {
	s := d.Status
	return s.ObservedGeneration >= d.Generation && s.NumberAvailable == s.DesiredNumberScheduled && s.DesiredNumberScheduled > 0
}

func jobReady(j *batchv1.Job) bool {
	running := int32(0)
	if j.Status.Ready != nil {
		running = *j.Status.Ready
	}
	return running+j.Status.Succeeded >= *j.Spec.Completions
}

func podReady(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodSucceeded || podutils.IsPodReady(p)
}

// budgetReady reports whether the budget has counted its expected pods as healthy. Right
// after they became Ready, the budget still allows no disruption.
func budgetReady(b *policyv1.PodDisruptionBudget) bool {
	s := b.Status
	return s.ObservedGeneration >= b.Generation && s.ExpectedPods > 0 && s.CurrentHealthy == s.ExpectedPods
}
