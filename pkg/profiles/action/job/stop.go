// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"encoding/json"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// Stop gives the Job a deadline that is over: its pods are stopped, and it has failed. It is kept, so that people see how
// far it was. One that was not started never is.
func (t *Trigger) Stop(ctx context.Context, step action.Step) error {
	job, err := t.get(ctx, step)
	if err == nil && job != nil && made(job, step) && !hasEnded(job) {
		_, err = t.batch.Jobs(job.Namespace).Patch(ctx, job.Name, types.MergePatchType, overdue(job), metav1.PatchOptions{})
	}
	if err == nil || apierrors.IsNotFound(err) {
		return nil
	}
	refused, err := action.Refusal("stop "+said(step), err)
	if err == nil { // a transition is not kept for what the server is not allowed to do
		klog.FromContext(ctx).Error(nil, "A Job runs on although its transition is given up", "reason", refused.Message)
	}
	return err
}

// overdue is the patch that has a Job be over. Its UID and version see to it that it is the one that was looked at.
func overdue(job *batchv1.Job) []byte {
	patch, _ := json.Marshal(map[string]any{ // texts and a number always can be encoded
		"metadata": map[string]any{"uid": job.UID, "resourceVersion": job.ResourceVersion},
		"spec":     map[string]any{"activeDeadlineSeconds": 1},
	})
	return patch
}

func hasEnded(job *batchv1.Job) bool {
	for _, condition := range job.Status.Conditions {
		ends := condition.Type == batchv1.JobComplete || condition.Type == batchv1.JobFailed
		if ends && condition.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}
