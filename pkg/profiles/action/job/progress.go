// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// A Job is asked for how far it is, since a watch of all Jobs would cost more: soon at first, and then each time that
// it has run a tenth longer.
const (
	leastAgain = 2 * time.Second
	mostAgain  = 30 * time.Second
)

// startedAnnotation tells a Job that was not started yet from one that somebody else has suspended since.
const startedAnnotation = v1beta1.GroupName + "/started"

func started(job *batchv1.Job) bool {
	return job.Annotations[startedAnnotation] != "" || !ptr.Deref(job.Spec.Suspend, false)
}

// start has the Job run. Its UID and version see to it that it is the one that was looked at.
func (t *Trigger) start(ctx context.Context, job *batchv1.Job, said string) (action.Progress, error) {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{
			"uid": job.UID, "resourceVersion": job.ResourceVersion,
			"annotations": map[string]string{startedAnnotation: t.clock.Now().UTC().Format(time.RFC3339)},
		},
		"spec": map[string]any{"suspend": false},
	})
	if err != nil {
		return action.Progress{}, fmt.Errorf("could not encode the patch of %s: %w", said, err)
	}
	if _, err := t.batch.Jobs(job.Namespace).Patch(ctx, job.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return action.Refusal("start "+said, err)
	}
	return action.Waiting(said+" is running", t.clock.Now().Add(leastAgain)), nil
}

// progress is how far a Job is that was started.
func (t *Trigger) progress(job *batchv1.Job, step action.Step, said string) action.Progress {
	for _, condition := range job.Status.Conditions {
		switch {
		case condition.Status != corev1.ConditionTrue:
		case condition.Type == batchv1.JobComplete:
			return action.Done()
		case condition.Type == batchv1.JobFailed:
			return action.Failed("%s has failed and is not run again: %s: %s", said, condition.Reason, condition.Message)
		}
	}
	switch {
	case job.DeletionTimestamp != nil:
		return action.Failed("somebody has deleted %s. It may have run, so it is not run again", said)
	case ptr.Deref(job.Spec.Suspend, false):
		return action.Waiting("somebody has suspended "+said, t.again(step))
	default:
		return action.Waiting(said+" is running", t.again(step))
	}
}

func (t *Trigger) again(step action.Step) time.Time {
	now, age := t.clock.Now(), time.Duration(0)
	if began := step.Recorded.StartTime; began != nil {
		age = now.Sub(began.Time)
	}
	return now.Add(min(max(age/10, leastAgain), mostAgain))
}
