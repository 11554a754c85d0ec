// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
)

// A Job does not outlive its transition.
func TestStop(t *testing.T) {
	others := func(job *batchv1.Job) { running(job); delete(job.Labels, v1beta1.TransitionLabel) }
	tests := map[string]struct {
		job          *batchv1.Job
		fails        error
		wantDeadline *int64
		wantErr      bool
	}{
		"running":                {job: madeJob(running), wantDeadline: ptr.To[int64](1)},
		"not started yet":        {job: madeJob(nil), wantDeadline: ptr.To[int64](1)},
		"complete":               {job: madeJob(ended(batchv1.JobComplete))},
		"failed":                 {job: madeJob(ended(batchv1.JobFailed))},
		"somebody else's":        {job: madeJob(others)},
		"never created":          {},
		"started meanwhile":      {job: madeJob(nil), fails: apierrors.NewConflict(batchv1.Resource("jobs"), "x", errors.New("changed")), wantErr: true},
		"no answer":              {job: madeJob(running), fails: context.DeadlineExceeded, wantErr: true},
		"the server may no more": {job: madeJob(running), fails: apierrors.NewForbidden(batchv1.Resource("jobs"), "x", nil)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var objects []runtime.Object
			if test.job != nil {
				objects = append(objects, test.job)
			}
			trigger, client := triggerWith(objects...)
			if test.fails != nil {
				client.PrependReactor("patch", "jobs", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.fails })
			}
			step := stepOf(recorded)
			if err := trigger.Stop(t.Context(), step); (err != nil) != test.wantErr {
				t.Errorf("error %v, want one: %t", err, test.wantErr)
			}
			if test.job == nil {
				return
			}
			job := get(t, client, step)
			if diff := cmp.Diff(test.wantDeadline, job.Spec.ActiveDeadlineSeconds); diff != "" {
				t.Error(diff)
			}
		})
	}
}
