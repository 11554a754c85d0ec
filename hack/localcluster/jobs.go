// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// dropStaleJob deletes a stale Job and waits until it is gone, so that Apply creates it again.
func (w *Workload) dropStaleJob(ctx context.Context, declared *batchv1.Job) error {
	job, err := w.cluster.client.BatchV1().Jobs(w.namespace).Get(ctx, declared.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && !jobStale(job, declared) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("could not get Job %s: %w", declared.Name, err)
	}
	if err := w.deleteJob(ctx, declared.Name); err != nil {
		return fmt.Errorf("could not replace Job %s: %w", declared.Name, err)
	}
	return nil
}

// deleteJob waits until the Job and its pods are gone.
func (w *Workload) deleteJob(ctx context.Context, name string) error {
	jobs := w.cluster.client.BatchV1().Jobs(w.namespace)
	options := metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationForeground)}
	if err := jobs.Delete(ctx, name, options); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, readyInterval, readyTimeout, true, func(ctx context.Context) (bool, error) {
		_, err := jobs.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
}

// jobStale reports whether a Job must be created again: it has finished; it lost pods, which
// Kubernetes recreates after a backoff of up to ten minutes; or it has another number of pods,
// which cannot be changed.
func jobStale(job, declared *batchv1.Job) bool {
	for _, condition := range job.Status.Conditions {
		if condition.Status == corev1.ConditionTrue && (condition.Type == batchv1.JobComplete || condition.Type == batchv1.JobFailed) {
			return true
		}
	}
	lost := job.Status.Failed > 0 || job.Status.Terminating != nil && *job.Status.Terminating > 0
	return lost && !jobReady(job) || *job.Spec.Completions != *declared.Spec.Completions
}
