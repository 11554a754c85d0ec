// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package localcluster

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// A Job that would keep `up` waiting is deleted before it is applied; others are left alone.
func TestDropStaleJob(t *testing.T) {
	finished := func(kind batchv1.JobConditionType) []batchv1.JobCondition {
		return []batchv1.JobCondition{{Type: kind, Status: corev1.ConditionTrue}}
	}
	for name, tc := range map[string]struct {
		pods     int
		status   batchv1.JobStatus
		wantGone bool
	}{
		"new":                           {pods: 2},
		"runs":                          {pods: 2, status: batchv1.JobStatus{Ready: new(int32(2))}},
		"runs again after an eviction":  {pods: 2, status: batchv1.JobStatus{Ready: new(int32(2)), Failed: 1}},
		"half done":                     {pods: 2, status: batchv1.JobStatus{Ready: new(int32(1)), Succeeded: 1}},
		"finished":                      {pods: 2, status: batchv1.JobStatus{Succeeded: 2, Conditions: finished(batchv1.JobComplete)}, wantGone: true},
		"failed":                        {pods: 2, status: batchv1.JobStatus{Failed: 9, Conditions: finished(batchv1.JobFailed)}, wantGone: true},
		"waits to recreate evicted pod": {pods: 2, status: batchv1.JobStatus{Ready: new(int32(1)), Failed: 1}, wantGone: true},
		"half done, the rest evicted":   {pods: 2, status: batchv1.JobStatus{Succeeded: 1, Failed: 1}, wantGone: true},
		"a pod is being evicted":        {pods: 2, status: batchv1.JobStatus{Ready: new(int32(1)), Terminating: new(int32(1))}, wantGone: true},
		"another number of pods":        {pods: 1, status: batchv1.JobStatus{Ready: new(int32(1))}, wantGone: true},
	} {
		t.Run(name, func(t *testing.T) {
			old := (&Cluster{}).Workload("n").Job("batch", tc.pods).objects[0].(*batchv1.Job)
			old.Status = tc.status
			w := (&Cluster{client: fake.NewClientset(old)}).Workload("n").Job("batch", 2)
			if err := w.dropStaleJob(t.Context(), w.objects[0].(*batchv1.Job)); err != nil {
				t.Fatal(err)
			}
			_, err := w.cluster.client.BatchV1().Jobs("n").Get(t.Context(), "batch", metav1.GetOptions{})
			if gone := apierrors.IsNotFound(err); gone != tc.wantGone {
				t.Errorf("gone: %v (%v), want %v", gone, err, tc.wantGone)
			}
		})
	}
}
