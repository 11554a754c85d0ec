// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package job is the triggers job and reboot. A job runs a Job on the node, made of the template of a suspended CronJob,
// once. A reboot waits for another boot of the node, and may have such a Job bring it about.
//
// Nobody may run twice what flashes firmware. The name of the Job follows from the step, so that there is one at most.
// It is created suspended, so that it does nothing yet; then the step records that it exists; then it is started. A Job
// that is recorded and gone has failed, since it may have run; one that is not recorded has never run, and may be created
// again.
package job

import (
	"cmp"
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	typed "k8s.io/client-go/kubernetes/typed/batch/v1"
	"k8s.io/utils/clock"

	"github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"
	"github.com/medik8s/maintenance-apiserver/pkg/profiles/action"
)

// Trigger is the trigger job.
type Trigger struct {
	batch  typed.BatchV1Interface
	taints []corev1.Taint
	clock  clock.PassiveClock
}

var _ action.Stopper = (*Trigger)(nil)

// New returns the trigger. It creates Jobs with the server's own rights. taints are those that the server sets on
// cordoned nodes besides v1beta1.DrainTaint: Jobs tolerate them.
func New(kube kubernetes.Interface, taints []corev1.Taint, clock clock.PassiveClock) *Trigger {
	return &Trigger{batch: kube.BatchV1(), taints: taints, clock: clock}
}

// Do takes the next of the three steps: it creates the Job, starts it, or asks how far it is.
func (t *Trigger) Do(ctx context.Context, step action.Step) (action.Progress, error) {
	job, err := t.get(ctx, step)
	if err != nil {
		return action.Refusal("get "+said(step), err)
	}
	return t.goOn(ctx, step, job)
}

// get returns the Job of the step; nil if there is none.
func (t *Trigger) get(ctx context.Context, step action.Step) (*batchv1.Job, error) {
	job, err := t.batch.Jobs(specOf(step).Namespace).Get(ctx, Name(step), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return job, err
}

// goOn takes the next of the three steps with the Job as it is; nil if there is none.
func (t *Trigger) goOn(ctx context.Context, step action.Step, job *batchv1.Job) (action.Progress, error) {
	said := said(step)
	switch {
	case job == nil && step.Recorded.Object != "":
		return action.Failed("%s is gone: somebody has deleted it. It may have run, so it is not run again", said), nil
	case job == nil:
		return t.create(ctx, step, said)
	case !made(job, step):
		return action.Failed("%s exists, and this transition has not made it: delete it", said), nil
	case step.DryRun:
		return action.Done(), nil
	case step.Recorded.Object == "":
		return t.created(job, said), nil
	case !started(job):
		return t.start(ctx, job, said)
	default:
		return t.progress(job, step, said), nil
	}
}

// create creates the Job, suspended.
func (t *Trigger) create(ctx context.Context, step action.Step, said string) (action.Progress, error) {
	spec := specOf(step)
	template, err := t.batch.CronJobs(spec.Namespace).Get(ctx, spec.CronJob, metav1.GetOptions{})
	switch saidTemplate := fmt.Sprintf("CronJob %s/%s", spec.Namespace, spec.CronJob); {
	case apierrors.IsNotFound(err):
		return action.Failed("%s does not exist: %s cannot be made of it", saidTemplate, said), nil
	case err != nil:
		return action.Refusal("get "+saidTemplate, err)
	case template.Spec.Suspend == nil || !*template.Spec.Suspend:
		return action.Failed("%s is not suspended, and would also run at its own times: set its spec.suspend to true", saidTemplate), nil
	}
	options := metav1.CreateOptions{}
	if step.DryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	job, err := t.batch.Jobs(spec.Namespace).Create(ctx, t.newJob(template, step), options)
	switch {
	case err != nil:
		return action.Refusal("create "+said, err)
	case step.DryRun:
		return action.Done(), nil
	default:
		return t.created(job, said), nil
	}
}

// created has the engine record the Job, and call again at once.
func (t *Trigger) created(job *batchv1.Job, said string) action.Progress {
	progress := action.Waiting(said+" was created, and is going to be started", t.clock.Now())
	progress.Object = job.Name
	return progress
}

// made says whether the step has made the Job. Others may create Jobs of any name.
func made(job *batchv1.Job, step action.Step) bool {
	return job.Labels[v1beta1.TransitionLabel] == step.Key() && job.Annotations[v1beta1.StepAnnotation] == step.ID()
}

// Of are the Jobs of the transition of a NodeProfile, that have run, run or are about to.
func Of(np *v1beta1.NodeProfile) []types.NamespacedName {
	return jobs(np, func(*v1beta1.TransitionStep) bool { return true })
}

// Running are the Jobs that run for a NodeProfile.
func Running(np *v1beta1.NodeProfile) []types.NamespacedName {
	return jobs(np, func(step *v1beta1.TransitionStep) bool { return step.State == v1beta1.StepRunning })
}

func jobs(np *v1beta1.NodeProfile, wanted func(*v1beta1.TransitionStep) bool) (jobs []types.NamespacedName) {
	transition := np.Status.Transition
	if transition == nil {
		return nil
	}
	for i := range transition.Steps {
		step := action.Step{NodeProfile: np, Transition: transition, Recorded: &transition.Steps[i]}
		if spec := specOf(step); spec != nil && wanted(step.Recorded) {
			jobs = append(jobs, types.NamespacedName{Namespace: spec.Namespace, Name: Name(step)})
		}
	}
	return jobs
}

// Name is the name of the Job of a step: that of the CronJob, cut, and the key of the step. Names of Jobs have 63
// characters at most.
func Name(step action.Step) string {
	key := step.Key()
	return cmp.Or(prefix(specOf(step).CronJob, 63-len(key)-1), "job") + "-" + key
}

// said is what people read of the Job of a step.
func said(step action.Step) string {
	return fmt.Sprintf("Job %s/%s", specOf(step).Namespace, Name(step))
}

// specOf is the Job that the trigger of a step asks for; nil if it asks for none.
func specOf(step action.Step) *v1beta1.JobTrigger {
	if trigger := &step.Recorded.Trigger; trigger.Reboot != nil {
		return trigger.Reboot.Job
	}
	return step.Recorded.Trigger.Job
}
