// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
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
	"k8s.io/utils/ptr"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// rebootStep is a step that reboots the node by a Job, unless that is taken out.
func rebootStep(change func(*v1beta1.TransitionStep)) action.Step {
	step := stepOf(func(s *v1beta1.TransitionStep) {
		s.Trigger = v1beta1.ProfileTrigger{Name: "reboot", Reboot: &v1beta1.RebootTrigger{Job: s.Trigger.Job}}
		s.BootID = "boot-1"
	})
	step.NodeProfile.Status.NodeUID = "node-uid"
	if change != nil {
		change(step.Recorded)
	}
	return step
}

func byOthers(step *v1beta1.TransitionStep) { step.Trigger.Reboot.Job = nil }

func rebootWith(objects ...runtime.Object) (Reboot, *fake.Clientset) {
	trigger, client := triggerWith(objects...)
	return NewReboot(client, trigger), client
}

func bootedNode(boot string, ready corev1.ConditionStatus) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1", UID: "node-uid"}, Status: corev1.NodeStatus{
		NodeInfo:   corev1.NodeSystemInfo{BootID: boot},
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}},
	}}
}

// rebootJob is the Job as the trigger makes it.
func rebootJob(change func(*batchv1.Job)) *batchv1.Job {
	trigger, _ := triggerWith()
	job := trigger.newJob(cronJob(nil), rebootStep(nil))
	job.UID, job.ResourceVersion = "job-uid", "5"
	if change != nil {
		change(job)
	}
	return job
}

func TestReboot(t *testing.T) {
	said := "Job firmware/" + Name(rebootStep(nil))
	still, down := "waits for worker-1 to reboot: its boot ID is still boot-1. "+said, "waits for worker-1 to boot: it is not Ready, and its boot ID was boot-1. "+said
	waits := func(message string, again time.Duration, committed bool) action.Progress {
		progress := action.Waiting(message, time.Time{})
		if again > 0 {
			progress.Again = now.Add(again)
		}
		progress.Committed = committed
		return progress
	}
	created := waits(said+" was created, and is going to be started", 0, false)
	created.Object, created.Again = Name(rebootStep(nil)), now
	before, after := bootedNode("boot-1", corev1.ConditionTrue), bootedNode("boot-2", corev1.ConditionTrue)
	gone, notReady, comesUp := bootedNode("boot-1", corev1.ConditionTrue), bootedNode("boot-1", corev1.ConditionUnknown), bootedNode("boot-2", corev1.ConditionFalse)
	gone.UID = "other"
	tests := map[string]struct {
		node      *corev1.Node
		job       *batchv1.Job
		step      func(*v1beta1.TransitionStep)
		want      action.Progress
		wantVerbs []string
	}{
		"by others: not yet":  {node: before, step: byOthers, want: waits("waits for somebody to reboot worker-1: its boot ID is still boot-1", 0, false)},
		"by others: down":     {node: notReady, step: byOthers, want: waits("waits for worker-1 to boot: it is not Ready, and its boot ID was boot-1", 0, true)},
		"by others: comes up": {node: comesUp, step: byOthers, want: waits("worker-1 has rebooted, and its boot ID was boot-1: waits for it to be Ready", 0, true)},
		"by others: done":     {node: after, step: byOthers, want: action.Done()},
		"a boot ID that is gone tells nothing": {
			node: bootedNode("", corev1.ConditionTrue), step: byOthers, want: waits("waits for somebody to reboot worker-1: its boot ID is still boot-1", 0, false),
		},
		"the node is another one": {node: gone, step: recorded, want: waits("waits for worker-1 to boot, whose boot ID was boot-1: the node does not exist", 0, true)},
		"there is no node":        {step: recorded, want: waits("waits for worker-1 to boot, whose boot ID was boot-1: the node does not exist", 0, true)},

		"the Job is created":              {node: before, want: created, wantVerbs: []string{"create"}},
		"it is recorded first":            {node: before, job: rebootJob(nil), want: created},
		"it is started":                   {node: before, job: rebootJob(nil), step: recorded, want: waits(still+" is running", leastAgain, true), wantVerbs: []string{"patch"}},
		"not on a node that is not Ready": {node: notReady, want: waits("waits for worker-1 to be Ready, so that it can be rebooted: its boot ID is boot-1", 0, false)},
		"nor started there":               {node: notReady, job: rebootJob(nil), step: recorded, want: waits("waits for worker-1 to be Ready, so that it can be rebooted: its boot ID is boot-1", 0, false)},
		"it runs":                         {node: before, job: rebootJob(running), step: recorded, want: waits(still+" is running", 6*time.Second, true)},
		"the node is down":                {node: notReady, job: rebootJob(running), step: recorded, want: waits(down+" is running", 6*time.Second, true)},

		"the Job is complete before the node goes": {node: before, job: rebootJob(ended(batchv1.JobComplete)), step: recorded, want: waits(still+" is complete", 0, false)},
		"the Job fails before the node goes": {
			node: before, job: rebootJob(ended(batchv1.JobFailed)), step: recorded,
			want: waits(still+" has failed and is not run again: BackoffLimitExceeded: it has run once", 0, false),
		},
		"its pod was evicted while the node is down": {
			node: notReady, job: rebootJob(ended(batchv1.JobFailed)), step: recorded,
			want: waits(down+" has failed and is not run again: BackoffLimitExceeded: it has run once", 0, true),
		},
		"the Job is gone": {
			node: before, step: recorded, want: waits(still+" is gone: somebody has deleted it. It may have run, so it is not run again", 0, false),
		},
		"the Job is somebody else's": {
			node: before, job: rebootJob(func(j *batchv1.Job) { delete(j.Labels, v1beta1.TransitionLabel) }), step: recorded,
			want: waits(still+" exists, and this transition has not made it: delete it", 0, false),
		},

		"done: the Job has failed":   {node: after, job: rebootJob(ended(batchv1.JobFailed)), step: recorded, want: action.Done()},
		"done: the Job was complete": {node: after, job: rebootJob(ended(batchv1.JobComplete)), step: recorded, want: action.Done()},
		"done: the Job is gone":      {node: after, step: recorded, want: action.Done()},
		"done: it was never created": {node: after, want: action.Done()},
		"done: it was never started": {node: after, job: rebootJob(nil), step: recorded, want: action.Done(), wantVerbs: []string{"patch"}},
		"the Job would reboot it again": {
			node: after, job: rebootJob(running), step: recorded, wantVerbs: []string{"patch"},
			want: waits("worker-1 has rebooted: waits for "+said+" to end, so that it does not reboot it again", leastAgain, true),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			objects := []runtime.Object{cronJob(nil)}
			if test.node != nil {
				objects = append(objects, test.node)
			}
			if test.job != nil {
				objects = append(objects, test.job)
			}
			reboot, client := rebootWith(objects...)
			progress, err := reboot.Do(t.Context(), rebootStep(test.step))
			if diff := cmp.Diff(test.want, progress); err != nil || diff != "" {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
			if diff := cmp.Diff(test.wantVerbs, verbs(client)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// While nobody knows whether the node goes down, the step is not given up for its time. What was not begun may be.
func TestRebootErrors(t *testing.T) {
	before, after := bootedNode("boot-1", corev1.ConditionTrue), bootedNode("boot-2", corev1.ConditionTrue)
	forbidden := apierrors.NewForbidden(batchv1.Resource("jobs"), "x", nil)
	tests := map[string]struct {
		verb, resource string
		fails          error
		objects        []runtime.Object
		step           func(*v1beta1.TransitionStep)
		wantCommitted  bool
		wantFailed     bool
	}{
		"no answer about the node":        {verb: "get", resource: "nodes", fails: context.DeadlineExceeded, step: byOthers, wantCommitted: true},
		"no answer about a Job":           {verb: "get", resource: "jobs", fails: context.DeadlineExceeded, objects: []runtime.Object{before}},
		"no answer about a recorded Job":  {verb: "get", resource: "jobs", fails: context.DeadlineExceeded, objects: []runtime.Object{before}, step: recorded, wantCommitted: true},
		"a recorded Job may not be seen":  {verb: "get", resource: "jobs", fails: forbidden, objects: []runtime.Object{before}, step: recorded, wantCommitted: true},
		"Jobs may not be seen":            {verb: "get", resource: "jobs", fails: forbidden, objects: []runtime.Object{before}, wantFailed: true},
		"Jobs may not be created":         {verb: "create", resource: "jobs", fails: forbidden, objects: []runtime.Object{before}, wantFailed: true},
		"no answer to create":             {verb: "create", resource: "jobs", fails: context.DeadlineExceeded, objects: []runtime.Object{before}},
		"no answer to start":              {verb: "patch", resource: "jobs", fails: context.DeadlineExceeded, objects: []runtime.Object{before, rebootJob(nil)}, step: recorded, wantCommitted: true},
		"no answer to stop":               {verb: "patch", resource: "jobs", fails: context.DeadlineExceeded, objects: []runtime.Object{after, rebootJob(running)}, step: recorded, wantCommitted: true},
		"no answer whether it is stopped": {verb: "get", resource: "jobs", fails: context.DeadlineExceeded, objects: []runtime.Object{after}, step: recorded, wantCommitted: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			reboot, client := rebootWith(append(test.objects, cronJob(nil))...)
			client.PrependReactor(test.verb, test.resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.fails })
			progress, err := reboot.Do(t.Context(), rebootStep(test.step))
			if (err == nil) != test.wantFailed || (progress.State == v1beta1.StepFailed) != test.wantFailed || progress.Committed != test.wantCommitted {
				t.Errorf("progress %+v, error %v, want failed: %t, committed: %t", progress, err, test.wantFailed, test.wantCommitted)
			}
		})
	}
}

// A Job that may not be started waits, and can be given up.
func TestRebootJobMayNotBeStarted(t *testing.T) {
	reboot, client := rebootWith(bootedNode("boot-1", corev1.ConditionTrue), rebootJob(nil))
	client.PrependReactor("patch", "jobs", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(batchv1.Resource("jobs"), "x", nil)
	})
	progress, err := reboot.Do(t.Context(), rebootStep(recorded))
	if err != nil || progress.State != v1beta1.StepRunning || progress.Committed {
		t.Errorf("progress %+v, error %v, want it to wait", progress, err)
	}
}

// A transition that is given up takes its Job with it, if it has one.
func TestStopReboot(t *testing.T) {
	reboot, client := rebootWith(rebootJob(running))
	if err := reboot.Stop(t.Context(), rebootStep(byOthers)); err != nil || len(client.Actions()) > 0 {
		t.Errorf("without a Job: error %v, requests %v", err, client.Actions())
	}
	if err := reboot.Stop(t.Context(), rebootStep(recorded)); err != nil {
		t.Error(err)
	}
	if deadline := get(t, client, rebootStep(recorded)).Spec.ActiveDeadlineSeconds; deadline == nil || *deadline != 1 {
		t.Errorf("the Job runs on: deadline %v", deadline)
	}
}

// Whatever its template says, such a Job has one pod, which is not run again on the node that has come up. The pod knows
// which boot it is to end.
func TestRebootJobRunsOnce(t *testing.T) {
	template := cronJob(func(c *batchv1.CronJob) {
		spec := &c.Spec.JobTemplate.Spec
		spec.BackoffLimit, spec.Completions, spec.Parallelism = ptr.To[int32](6), ptr.To[int32](3), ptr.To[int32](2)
		spec.CompletionMode, spec.BackoffLimitPerIndex, spec.MaxFailedIndexes = ptr.To(batchv1.IndexedCompletion), ptr.To[int32](1), ptr.To[int32](1)
		spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{Action: batchv1.PodFailurePolicyActionIgnore}}}
		spec.SuccessPolicy, spec.PodReplacementPolicy = &batchv1.SuccessPolicy{}, ptr.To(batchv1.Failed)
		spec.ActiveDeadlineSeconds, spec.TTLSecondsAfterFinished = ptr.To[int64](600), ptr.To[int32](200000)
		spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	})
	trigger, _ := triggerWith()
	spec := trigger.newJob(template, rebootStep(nil)).Spec
	pod := spec.Template
	spec.Template = corev1.PodTemplateSpec{}
	want := batchv1.JobSpec{
		Suspend: ptr.To(true), BackoffLimit: ptr.To[int32](0), Completions: ptr.To[int32](1), Parallelism: ptr.To[int32](1),
		ActiveDeadlineSeconds: ptr.To[int64](600), TTLSecondsAfterFinished: ptr.To[int32](200000),
	}
	if diff := cmp.Diff(want, spec); diff != "" {
		t.Error(diff)
	}
	if pod.Spec.RestartPolicy != corev1.RestartPolicyNever || pod.Annotations["maintenance.medik8s.io/boot-id"] != "boot-1" || pod.Spec.Affinity == nil {
		t.Errorf("got the pod %+v", pod)
	}
}
