// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	testingclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

const namespace = "firmware"

var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func stepOf(change func(*v1beta1.TransitionStep)) action.Step {
	transition := &v1beta1.RecordedTransition{
		ID: "np-uid/3.1", Phase: v1beta1.PhaseTriggers, Steps: []v1beta1.TransitionStep{{
			ID: "0-flash", State: v1beta1.StepRunning, StartTime: ptr.To(metav1.NewMicroTime(now.Add(-time.Minute))),
			Trigger: v1beta1.ProfileTrigger{Name: "flash", Job: &v1beta1.JobTrigger{Namespace: namespace, CronJob: "flash"}},
		}},
	}
	if change != nil {
		change(&transition.Steps[0])
	}
	return action.Step{
		Profile: "firmware", Transition: transition, Recorded: &transition.Steps[0],
		NodeProfile: &v1beta1.NodeProfile{
			ObjectMeta: metav1.ObjectMeta{Name: "worker-1.firmware", UID: "np-uid"},
			Spec:       v1beta1.NodeProfileSpec{NodeName: "worker-1", Profile: "firmware"},
			Status:     v1beta1.NodeProfileStatus{NodeUID: "node-uid"},
		},
	}
}

// recorded is a step that has recorded its Job.
func recorded(step *v1beta1.TransitionStep) { step.Object = "flash" }

func cronJob(change func(*batchv1.CronJob)) *batchv1.CronJob {
	c := &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "flash"},
		Spec: batchv1.CronJobSpec{Suspend: ptr.To(true), JobTemplate: batchv1.JobTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"team": "dc"}},
			Spec: batchv1.JobSpec{
				BackoffLimit: ptr.To[int32](0),
				Template:     corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "flash", Image: "flash:1"}}}},
			},
		}},
	}
	if change != nil {
		change(c)
	}
	return c
}

func triggerWith(objects ...runtime.Object) (*Trigger, *fake.Clientset) {
	client := fake.NewClientset(objects...)
	taints := []corev1.Taint{{Key: "example.com/down", Effect: corev1.TaintEffectNoExecute}}
	return New(client, taints, testingclock.NewFakePassiveClock(now)), client
}

// madeJob is the Job as the trigger makes it.
func madeJob(change func(*batchv1.Job)) *batchv1.Job {
	trigger, _ := triggerWith()
	job := trigger.newJob(cronJob(nil), stepOf(nil))
	job.UID, job.ResourceVersion = "job-uid", "5"
	if change != nil {
		change(job)
	}
	return job
}

func running(job *batchv1.Job) {
	job.Spec.Suspend = ptr.To(false)
	job.Annotations[startedAnnotation] = "2026-01-01T12:00:00Z"
}

func ended(kind batchv1.JobConditionType) func(*batchv1.Job) {
	return func(job *batchv1.Job) {
		running(job)
		job.Status.Conditions = []batchv1.JobCondition{
			{Type: batchv1.JobFailureTarget, Status: corev1.ConditionFalse},
			{Type: kind, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", Message: "it has run once"},
		}
	}
}

func verbs(client *fake.Clientset) []string {
	var sent []string
	for _, a := range client.Actions() {
		if a.GetVerb() != "get" {
			sent = append(sent, a.GetVerb())
		}
	}
	return sent
}

// A Job runs only after the step has recorded that it exists: so that one that is lost is known to be lost.
func TestCreateRecordStart(t *testing.T) {
	trigger, client := triggerWith(cronJob(nil))
	step := stepOf(nil)
	progress, err := trigger.Do(t.Context(), step)
	want := action.Waiting("Job firmware/"+Name(step)+" was created, and is going to be started", now)
	want.Object = Name(step)
	if err != nil || progress != want {
		t.Fatalf("progress %+v, error %v, want %+v", progress, err, want)
	}
	if job := get(t, client, step); !*job.Spec.Suspend {
		t.Fatal("the Job runs before it is recorded")
	}
	if progress, err = trigger.Do(t.Context(), step); err != nil || progress != want || !*get(t, client, step).Spec.Suspend {
		t.Fatalf("the record was lost: progress %+v, error %v, want %+v", progress, err, want)
	}
	step.Recorded.Object = progress.Object
	progress, err = trigger.Do(t.Context(), step)
	if want := action.Waiting("Job firmware/"+Name(step)+" is running", now.Add(leastAgain)); err != nil || progress != want {
		t.Fatalf("progress %+v, error %v, want %+v", progress, err, want)
	}
	if job := get(t, client, step); *job.Spec.Suspend {
		t.Fatal("the Job was not started")
	}
	if diff := cmp.Diff([]string{"create", "patch"}, verbs(client)); diff != "" {
		t.Error(diff)
	}
}

func get(t *testing.T, client *fake.Clientset, step action.Step) *batchv1.Job {
	t.Helper()
	job, err := client.BatchV1().Jobs(namespace).Get(t.Context(), Name(step), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func TestProgress(t *testing.T) {
	said := "Job firmware/" + Name(stepOf(nil))
	tests := map[string]struct {
		objects   []runtime.Object
		step      func(*v1beta1.TransitionStep)
		want      action.Progress
		wantVerbs []string
	}{
		"running":  {objects: []runtime.Object{madeJob(running)}, step: recorded, want: action.Waiting(said+" is running", now.Add(6*time.Second))},
		"complete": {objects: []runtime.Object{madeJob(ended(batchv1.JobComplete))}, step: recorded, want: action.Done()},
		"failed": {
			objects: []runtime.Object{madeJob(ended(batchv1.JobFailed))}, step: recorded,
			want: action.Failed("%s has failed and is not run again: BackoffLimitExceeded: it has run once", said),
		},
		"somebody has suspended it": {
			objects: []runtime.Object{madeJob(func(j *batchv1.Job) {
				running(j)
				j.Spec.Suspend = ptr.To(true)
			})},
			step: recorded, want: action.Waiting("somebody has suspended "+said, now.Add(6*time.Second)),
		},
		"lost, though it may have run": {
			objects: []runtime.Object{cronJob(nil)}, step: recorded,
			want: action.Failed("%s is gone: somebody has deleted it. It may have run, so it is not run again", said),
		},
		"being deleted": {
			objects: []runtime.Object{madeJob(func(j *batchv1.Job) {
				running(j)
				j.DeletionTimestamp = &metav1.Time{}
			})},
			step: recorded, want: action.Failed("somebody has deleted %s. It may have run, so it is not run again", said),
		},
		"deleted after it was complete": {
			objects: []runtime.Object{madeJob(func(j *batchv1.Job) {
				ended(batchv1.JobComplete)(j)
				j.DeletionTimestamp = &metav1.Time{}
			})},
			step: recorded, want: action.Done(),
		},
		"somebody else's, of the right name": {
			objects: []runtime.Object{madeJob(func(j *batchv1.Job) { delete(j.Labels, v1beta1.TransitionLabel) })},
			want:    action.Failed("%s exists, and this transition has not made it: delete it", said),
		},
		"another step's, with a label that was copied": {
			objects: []runtime.Object{madeJob(func(j *batchv1.Job) { j.Annotations[v1beta1.StepAnnotation] = "np-uid/2.1/Triggers/0-flash" })},
			step:    recorded, want: action.Failed("%s exists, and this transition has not made it: delete it", said),
		},
		"no template": {want: action.Failed("CronJob firmware/flash does not exist: %s cannot be made of it", said)},
		"a template that runs by itself": {
			objects: []runtime.Object{cronJob(func(c *batchv1.CronJob) { c.Spec.Suspend = nil })},
			want:    action.Failed("CronJob firmware/flash is not suspended, and would also run at its own times: set its spec.suspend to true"),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			trigger, client := triggerWith(test.objects...)
			progress, err := trigger.Do(t.Context(), stepOf(test.step))
			if err != nil || progress != test.want {
				t.Errorf("progress %+v, error %v, want %+v", progress, err, test.want)
			}
			if diff := cmp.Diff(test.wantVerbs, verbs(client)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	jobs := batchv1.Resource("jobs")
	tests := map[string]struct {
		verb       string
		err        error
		wantFailed bool
	}{
		"a quota is used up":    {verb: "create", err: apierrors.NewForbidden(jobs, "x", nil), wantFailed: true},
		"created meanwhile":     {verb: "create", err: apierrors.NewAlreadyExists(jobs, "x")},
		"no answer to create":   {verb: "create", err: context.DeadlineExceeded},
		"no answer to get":      {verb: "get", err: context.DeadlineExceeded},
		"the server may not":    {verb: "get", err: apierrors.NewForbidden(jobs, "x", nil), wantFailed: true},
		"no answer to start":    {verb: "patch", err: context.DeadlineExceeded},
		"changed while started": {verb: "patch", err: apierrors.NewConflict(jobs, "x", nil)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			trigger, client := triggerWith(cronJob(nil))
			step := stepOf(nil)
			if test.verb == "patch" {
				trigger, client = triggerWith(madeJob(nil))
				step = stepOf(recorded)
			}
			client.PrependReactor(test.verb, "jobs", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.err })
			progress, err := trigger.Do(t.Context(), step)
			if (progress.State == v1beta1.StepFailed) != test.wantFailed || (err == nil) != test.wantFailed {
				t.Errorf("progress %+v, error %v, want failed: %t", progress, err, test.wantFailed)
			}
		})
	}
}

func TestDryRun(t *testing.T) {
	trigger, client := triggerWith(cronJob(nil))
	step := stepOf(nil)
	step.DryRun = true
	if progress, err := trigger.Do(t.Context(), step); err != nil || progress != action.Done() {
		t.Fatalf("progress %+v, error %v, want done", progress, err)
	}
	for _, a := range client.Actions() {
		if create, is := a.(clienttesting.CreateActionImpl); is && len(create.CreateOptions.DryRun) != 1 {
			t.Error("the Job was created")
		}
	}
}

func TestName(t *testing.T) {
	key := stepOf(nil).Key()
	for cronJob, want := range map[string]string{
		"flash":                                "flash-" + key,
		"flash.v2":                             "flash-v2-" + key,
		strings.Repeat("a", 52):                strings.Repeat("a", 30) + "-" + key,
		strings.Repeat("a", 28) + ".-" + "bcd": strings.Repeat("a", 28) + "-" + key,
	} {
		step := stepOf(func(s *v1beta1.TransitionStep) { s.Trigger.Job.CronJob = cronJob })
		if got := Name(step); got != want || len(got) > 63 {
			t.Errorf("%s: %s, want %s", cronJob, got, want)
		}
	}
}

// The Jobs of a NodeProfile are those of both triggers that have one.
func TestJobsOfANodeProfile(t *testing.T) {
	spec := &v1beta1.JobTrigger{Namespace: "shop", CronJob: "reboot"}
	for name, test := range map[string]struct {
		trigger           v1beta1.ProfileTrigger
		state             v1beta1.StepState
		wantOf, wantToRun int
	}{
		"a Job that runs":           {trigger: v1beta1.ProfileTrigger{Job: spec}, state: v1beta1.StepRunning, wantOf: 1, wantToRun: 1},
		"a Job that has run":        {trigger: v1beta1.ProfileTrigger{Job: spec}, state: v1beta1.StepDone, wantOf: 1},
		"a Job that reboots":        {trigger: v1beta1.ProfileTrigger{Reboot: &v1beta1.RebootTrigger{Job: spec}}, state: v1beta1.StepRunning, wantOf: 1, wantToRun: 1},
		"a reboot by somebody else": {trigger: v1beta1.ProfileTrigger{Reboot: &v1beta1.RebootTrigger{}}, state: v1beta1.StepRunning},
	} {
		t.Run(name, func(t *testing.T) {
			np := &v1beta1.NodeProfile{Status: v1beta1.NodeProfileStatus{Transition: &v1beta1.RecordedTransition{
				Steps: []v1beta1.TransitionStep{{Trigger: test.trigger, State: test.state}},
			}}}
			if of, toRun := len(Of(np)), len(Running(np)); of != test.wantOf || toRun != test.wantToRun {
				t.Errorf("got %d Jobs, of which %d run, want %d and %d", of, toRun, test.wantOf, test.wantToRun)
			}
		})
	}
}
